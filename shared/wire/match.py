"""What services say to each other over the broker: requests, answers."""

from typing import Final

import msgspec

from shared.commands import MatchCommand
from shared.problems import Problem


class CommandRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One command for a match, on ``cmd.<sender>.game.<match>``.

    ``player`` is the authenticated player (empty for a service acting on its own; the ghost names the
    player whose seat it plays). ``expected`` is the commit it was made against; None is refused for
    players. ``arrived_ms`` is the gateway's stamp. ``dry_run`` only asks whether it would be accepted.
    """

    id: str
    command: MatchCommand
    player: str = ""
    expected: int | None = None
    arrived_ms: int = 0
    dry_run: bool = False
    scopes: tuple[str, ...] = ()


class Accepted(msgspec.Struct, frozen=True, tag="accepted"):
    """The command is in the log as commit ``n`` (for a dry run: would be)."""

    n: int


class RefusedAnswer(msgspec.Struct, frozen=True, tag="refused"):
    """The command was refused and nothing was written."""

    problem: Problem


CommandAnswer = Accepted | RefusedAnswer

ENCODER: Final = msgspec.json.Encoder()
COMMAND_REQUEST: Final = msgspec.json.Decoder(CommandRequest)
COMMAND_ANSWER: Final = msgspec.json.Decoder(CommandAnswer)
