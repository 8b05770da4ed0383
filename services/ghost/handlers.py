"""From a commit to the commands that answer it. A commit is done with when its answers are in the log."""

import asyncio
from typing import Final

import structlog
from prometheus_client import Counter

from services.ghost import domain
from services.ghost.domain import Turn
from services.ghost.players import Seen
from services.ghost.thinking import Thinker
from shared.commands import PlayerCommand
from shared.events.codec import UnreadableLog, decode_match
from shared.events.match import MatchCreated
from shared.fold import fold, step
from shared.match import MatchState, Phase, view
from shared.ports.bus import Bus, NoAnswer
from shared.ports.log import EventLog, Following, LogUnavailable
from shared.problems import Problem
from shared.recent import Recent
from shared.subjects import command as command_subject
from shared.wire.match import COMMAND_ANSWER, ENCODER, CommandRequest, RefusedAnswer

DURABLE: Final = "ghost"
KEPT: Final = 10_000
"""So many matches of ours stay in memory; a forgotten one is read again with its next commit."""
KEPT_OTHERS: Final = 200_000
"""So many are remembered to be none of ours (about 150 B each); a forgotten one costs one read."""

_ANSWER_MS: Final = 2_000
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 2.0
_MOST_REFUSALS: Final = 20  # about half a minute: what is refused for longer must not hold other matches up

ERRED: Final = Counter(
    "kronika_ghost_erred",
    "Questions to which the computer had no answer, or one that was refused: each is a fault.",
    ["rules"],
)

_log = structlog.get_logger("ghost")


class Draining(Exception):  # noqa: N818 - no error: the commit is given back, for whoever runs next
    """This process stops before the command has its answer."""


class Known:
    """A match in memory: its state, and which decision each of our seats has answered last.

    So for its own decisions, and for draws on offer within them (``Turn.drawing``).
    """

    __slots__ = ("answered", "state")

    def __init__(self, state: MatchState) -> None:
        """Nothing answered yet."""
        self.state = state
        self.answered: dict[tuple[int, bool], int] = {}


class Ghost:
    """Plays our seats in every match.

    Per match one commit after the other (the log's promise); different matches do not wait for each other.
    Several processes may share the work: what two of them send twice has the same id and counts once.
    """

    def __init__(
        self, log: EventLog, bus: Bus, thinker: Thinker, kept: int = KEPT, kept_others: int = KEPT_OTHERS
    ) -> None:
        """Read ``log``, send over ``bus``."""
        self._events = log
        self._bus = bus
        self._thinker = thinker
        self._known: Recent[Known] = Recent(kept)
        self._others: Recent[bool] = Recent(kept_others)
        self._following: Following | None = None
        self._stopping = asyncio.Event()

    async def start(self) -> None:
        """Take up where the durable consumer stands."""
        self._thinker.start()
        self._following = await self._events.consume(DURABLE, self.on_commit)

    async def close(self) -> None:
        """Take no more commits; let what was sent have its answer; give the rest back."""
        self._stopping.set()
        if self._following is not None:
            await self._following.close()
        self._thinker.close()

    async def on_commit(self, match: str, n: int, stored: bytes) -> None:
        """Answer whatever the match asks of our seats now; returns when the answers are accepted or void."""
        if self._others.get(match):
            return
        try:
            known = await self._look(match, n, stored)
        except UnreadableLog as error:
            # Handed back it would come again for ever; whoever can read it goes on with the next commit.
            _log.error("unreadable log, not played", match=match, n=n, error=str(error))
            self._known.forget(match)
            return
        if known is None:
            return
        for turn in domain.turns(known.state):
            question = turn.seat, turn.drawing
            if known.answered.get(question) == turn.decision:
                continue
            if await self._answer(known.state, turn):
                known.answered[question] = turn.decision
        if known.state.phase is Phase.OVER:
            self._forget(match)

    async def _look(self, match: str, n: int, stored: bytes) -> Known | None:
        """The match at least as of commit ``n``; None if it is none of ours."""
        known = self._known.get(match)
        if known is None:
            first = stored if n == 1 else await self._events.get(match, 1)
            if first is None:
                _log.warning("a match without its first commit, not played", match=match, n=n)
                return None
            created = decode_match(first).events[0]
            if not isinstance(created, MatchCreated) or not domain.concerns(created):
                self._forget(match)
                return None
            known = Known(step(None, first))
            self._known.put(match, known)
        if n == known.state.n + 1:
            known.state = step(known.state, stored)
        elif n > known.state.n:
            known.state = fold(await self._events.read(match, known.state.n), known.state) or known.state
            if known.state.n < n:
                raise LogUnavailable(f"{match}: commit {n} cannot be read yet")
        return known

    def _forget(self, match: str) -> None:
        """Nothing will be asked of us in this match."""
        self._known.forget(match)
        self._others.put(match, value=True)

    async def _answer(self, state: MatchState, turn: Turn) -> bool:
        """Whether the question is settled; if not, the next commit of the match asks it again.

        Where no answer is known, or the one that was thought of is refused for good, it answers once without
        a thought: nobody shall wait for ever for a computer that errs.
        """
        try:
            command = await self._choose(state, turn)
        except Exception as error:
            if self._stopping.is_set():  # then its threads are gone, and whoever runs next answers
                raise
            self._erred("no answer known", state, turn, repr(error))
        else:
            refused = await self._command(state, turn, command)
            if refused is None:
                return True
            if domain.worth_repeating(refused):
                return False
        legal = state.rules.legal(state.position, turn.seat) if "play" in turn.commands else ()
        instead = domain.fallback(turn, legal)
        if instead is None:
            return True
        refused = await self._command(state, turn, instead, again=True)
        return refused is None or not domain.worth_repeating(refused)

    @staticmethod
    def _erred(what: str, state: MatchState, turn: Turn, why: str, **more: str) -> None:
        """Say so to whoever keeps watch: every one of these is a fault of ours."""
        ERRED.labels(state.rules.name).inc()
        _log.error(what, match=state.match, n=state.n, seat=turn.seat, why=why, **more)

    async def _command(
        self, state: MatchState, turn: Turn, command: PlayerCommand, *, again: bool = False
    ) -> Problem | None:
        """Why ``command`` was refused; None if it is accepted, or the question is no more."""
        request = CommandRequest(
            id=domain.command_id(state.match, turn, again=again),
            command=command,
            player=turn.player,
            expected=turn.decision,  # not the newest n: opponents' side commits must not change a retry
        )
        refused = await self._send(state.match, request)
        if refused is None:
            return None
        kind, code = type(command).__name__, refused.problem.code
        if domain.superseded(refused.problem, turn):
            _log.debug("superseded", match=state.match, n=state.n, seat=turn.seat, command=kind, code=code)
            return None
        self._erred("refused", state, turn, refused.problem.detail, command=kind, code=code)
        return refused.problem

    async def _choose(self, state: MatchState, turn: Turn) -> PlayerCommand:
        """The answer, from what this seat may see and nothing else."""
        legal = state.rules.legal(state.position, turn.seat) if "play" in turn.commands else ()
        plain = domain.plain_answer(turn, legal if state.rules.traits.listed else ())
        if plain is not None:
            return plain
        seen = Seen(view(state, turn.seat), legal, domain.open_position(state))
        return await self._thinker.choose(state.rules, seen, turn.commands, domain.level(state, turn.seat))

    async def _send(self, match: str, request: CommandRequest) -> RefusedAnswer | None:
        """Send until there is an answer that stays: None if it was accepted, or the refusal.

        Raises ``Draining`` when this process stops first.
        """
        subject, data = command_subject("ghost", "game", match), ENCODER.encode(request)
        pause_s = _FIRST_PAUSE_S
        tries = refusals = 0
        while True:
            tries += 1
            try:
                answer = COMMAND_ANSWER.decode(await self._bus.request(subject, data, _ANSWER_MS))
            except NoAnswer as error:
                why = str(error)
            else:
                if not isinstance(answer, RefusedAnswer):
                    return None
                refusals += (
                    answer.problem.code != "unavailable"
                )  # without the log nothing else goes on either
                if refusals == _MOST_REFUSALS or not domain.worth_repeating(answer.problem):
                    return answer
                why = answer.problem.code
            if tries == 1:
                _log.warning("no answer yet, asking again", match=match, command=request.id, why=why)
            await self._pause(match, pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def _pause(self, match: str, pause_s: float) -> None:
        try:
            async with asyncio.timeout(pause_s):
                await self._stopping.wait()
        except TimeoutError:
            return
        raise Draining(match)
