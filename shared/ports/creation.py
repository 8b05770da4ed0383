"""With what a match began: what every reader of its later commits has to know of it."""

from shared.events.codec import UnreadableLog, decode_match
from shared.events.match import MatchCreated
from shared.ports.log import EventLog, LogUnavailable


async def created_of(matches: EventLog, match: str, n: int, stored: bytes) -> MatchCreated:
    """The first event of the match whose commit ``n`` is ``stored``.

    Raises ``LogUnavailable`` where its first commit cannot be read yet: a replica may be behind, and who
    took that for "nothing" would forget the match. ``UnreadableLog`` if the log begins with anything else.
    """
    first = stored if n == 1 else await matches.get(match, 1)
    if first is None:
        raise LogUnavailable(f"{match}: its first commit cannot be read yet")
    created = decode_match(first).events[0]
    if not isinstance(created, MatchCreated):
        raise UnreadableLog(f"{match}: a match's log begins with match_created.")
    return created
