"""The command path: from a player's frame or request to the one answer of ``game``."""

import asyncio
from typing import Any, Final

import msgspec
from prometheus_client import Counter

from shared import subjects
from shared.commands import PlayerCommand
from shared.ports.bus import Bus, NoAnswer
from shared.problems import Refused, problem
from shared.wire.match import COMMAND_ANSWER, CommandAnswer, CommandRequest, RefusedAnswer

SENDER: Final = "gateway"
GIVE_UP_S: Final = 12.0
# A request that nobody answered may have been stored all the same: the same id again gets the stored answer.
# The first two come soon: an instance of game that hangs must not cost a move in time its place (W, 500 ms).
TIMEOUTS_MS: Final = (250, 250, 500, 2_000, 4_000, 5_000)
PAUSES_S: Final = (0.05, 0.1, 0.2, 0.4, 0.8)  # where the broker says at once that nobody listens
UNAVAILABLE: Final = RefusedAnswer(problem("unavailable", "The same id may be sent again."))

RESENT: Final = Counter("kronika_resent_commands", "Commands that the gateway asked again, unanswered.")

_ENCODE: Final = msgspec.json.Encoder().encode
_COMMAND: Final[msgspec.json.Decoder[PlayerCommand]] = msgspec.json.Decoder(PlayerCommand)
_MEMBERS: Final[tuple[Any, ...]] = PlayerCommand.__args__
NAMES: Final = tuple(str(member.__struct_config__.tag) for member in _MEMBERS)


class _Named(msgspec.Struct, frozen=True):
    """Only what a command calls itself."""

    type: str


_NAMED: Final = msgspec.json.Decoder(_Named)


def read_command(sent: bytes | msgspec.Raw) -> PlayerCommand:
    """A player's command; raises ``Refused`` ``unknown_command``, ``invalid`` or ``malformed``."""
    try:
        return _COMMAND.decode(sent)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = error
    try:
        named = _NAMED.decode(sent)
    except msgspec.ValidationError as error:
        raise Refused("invalid", f"A command is an object with a type: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("malformed", str(error)) from error
    if named.type not in NAMES:
        raise Refused("unknown_command", f"There are: {', '.join(NAMES)}.") from why
    raise Refused("invalid", str(why)) from why


async def ask_game(bus: Bus, match: str, request: CommandRequest) -> CommandAnswer:
    """The answer to ``request``: asked again with the same id for 12 s, then ``unavailable``."""
    subject = subjects.command(SENDER, "game", match)
    data = _ENCODE(request)
    try:  # the usual case costs no clock and no loop
        return COMMAND_ANSWER.decode(await bus.request(subject, data, TIMEOUTS_MS[0]))
    except NoAnswer:
        return await _ask_on(bus, subject, data)


async def _ask_on(bus: Bus, subject: str, data: bytes) -> CommandAnswer:
    clock = asyncio.get_running_loop().time
    give_up = clock() + GIVE_UP_S - TIMEOUTS_MS[0] / 1000
    attempt = 1
    while clock() < give_up:
        await asyncio.sleep(PAUSES_S[min(attempt - 1, len(PAUSES_S) - 1)])
        RESENT.inc()
        try:
            wait_ms = TIMEOUTS_MS[min(attempt, len(TIMEOUTS_MS) - 1)]
            return COMMAND_ANSWER.decode(await bus.request(subject, data, wait_ms))
        except NoAnswer:
            attempt += 1
    return UNAVAILABLE
