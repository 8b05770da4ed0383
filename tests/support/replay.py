"""Playing a plan without any server: the same decisions, folded in memory."""

from services.cli.importing.planning.tables import Plan
from services.game.domain import create, decide
from shared.commands import CreateMatch, Leave, Next, PlayerCommand, Ready
from shared.events.base import By, chain_hash
from shared.events.base import salt as salt_of
from shared.events.codec import MatchCommit, encode
from shared.events.match import MatchEvent, Seat
from shared.match import MatchState, Phase, evolve

SECRET = bytes(range(32))
MATCH = "mtestmatch"


class MemoryMatch:
    """A match that is decided and folded in memory; ``commits`` is its log."""

    def __init__(self, plan: Plan) -> None:
        """Create the recorded match of ``plan`` and get both seats ready."""
        self.commits: list[MatchCommit] = []
        self.lines: list[bytes] = []
        self.state: MatchState | None = None
        command = CreateMatch(
            rules=plan.game,
            rules_version=1,
            seats=(Seat("pleft0000"), Seat("pright000")),
            terms=plan.terms,
            options=plan.options,
            chance="recorded",
        )
        self._store(By(service="lobby"), create(command, SECRET))
        for seat in (0, 1):
            self.send(seat, Ready())

    def _store(self, by: By, events: tuple[MatchEvent, ...]) -> None:
        n = len(self.commits) + 1
        commit = MatchCommit(
            match=MATCH,
            n=n,
            at_ms=1000 * n,
            arrived_ms=1000 * n,
            command=f"c{n}",
            command_hash="0" * 64,
            by=by,
            salt=salt_of(SECRET, MATCH, n),
            prev=chain_hash(self.lines[-1]) if self.lines else "0" * 64,
            events=events,
        )
        line = encode(commit)
        self.commits.append(commit)
        self.lines.append(line)
        self.state = evolve(self.state, commit, chain_hash(line))

    @property
    def now(self) -> MatchState:
        """The state after the newest commit."""
        assert self.state is not None
        return self.state

    def send(self, seat: int, command: PlayerCommand) -> None:
        """Decide ``command`` of ``seat`` and fold what it causes; raises ``Refused``."""
        self._store(By(seat=seat), tuple(decide(self.now, seat, command, SECRET).events))

    def play(self, plan: Plan) -> None:
        """All steps of the plan, with Next between the games."""
        for place, game in enumerate(plan.games):
            if place:
                for seat in (0, 1):
                    self.send(seat, Next())
            for step in game.steps:
                self.send(step.seat, step.command)
        if self.now.phase is not Phase.OVER:
            self.send(0, Leave())


def played(plan: Plan) -> MemoryMatch:
    """The plan, played to its end."""
    match = MemoryMatch(plan)
    match.play(plan)
    return match
