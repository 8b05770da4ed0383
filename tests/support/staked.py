"""Lobby, game and ledger together on ports in memory, where everything may die at any append."""

from random import Random

from services.game.cover import LedgerCovers
from services.game.handlers import Game
from services.ledger.bank import Bank
from services.ledger.handlers import Ledger
from services.ledger.settings import Money
from shared import subjects
from shared.adapters.memory_bucket import MemoryBucket
from shared.adapters.memory_bus import MemoryBus
from shared.commands import PlayerCommand
from shared.fold import fold
from shared.match import MatchState
from shared.ports.log import Following
from shared.service import Now
from shared.wire.lobby import JoinTable, LobbyAnswer, OpenTable, Register, Session
from shared.wire.match import COMMAND_ANSWER, ENCODER, CommandAnswer, CommandRequest
from tests.support.books import Books, read
from tests.support.ledgers import START, Fate, MortalLog
from tests.support.lobby import PASSWORD, Clock, Lobby, Stores, session, table, unique_nickname


class StakedHouse:
    """The logs outlive every instance; ``reborn`` makes new instances of all services."""

    def __init__(self, *, money: Money | None = None, stakes: bool = True) -> None:
        self.fate = Fate()
        self.matches, self.accounts, self.tables = (MortalLog(self.fate) for _ in range(3))
        self.money = money or Money(start_balance=START)
        self.stakes = stakes
        self.secrets = MemoryBucket()
        self.stores = Stores(tables=self.tables)
        self.clock = Clock()
        self.bus = MemoryBus()
        self._serving: dict[str, Following] = {}
        self._ids = 0

    async def reborn(self) -> "StakedHouse":
        """Every service starts anew; the list of tables is read again."""
        for serving in self._serving.values():
            await serving.close()
        self.lobby = Lobby(self.stores, self.bus, self.clock, stakes=self.stakes)
        await self.lobby.stores.tables.scan(self.lobby.tables.listing.apply)
        covers = LedgerCovers(self.bus)
        self.game = Game(self.matches, self.secrets, Now(), Random(5).randbytes, covers=covers)
        bank = Bank(self.accounts, self.clock.now_ms)
        self.ledger = Ledger(self.matches, self.accounts, bank, self.money)
        self._serving = {
            "game": await self.bus.serve(subjects.commands("game"), "game", self.game.answer),
            "ledger": await self.bus.serve(subjects.commands("ledger"), "ledger", self.ledger.answer),
        }
        return self

    async def away(self, service: str) -> None:
        """This service answers no more."""
        await self._serving[service].close()

    @property
    def books(self) -> Books:
        """What is stored, added up."""
        return read(self.accounts.entries)

    async def registered(self) -> Session:
        """Somebody new who is no guest."""
        return session(await self.lobby.ask(Register(nickname=unique_nickname(), password=PASSWORD)))

    async def seated(self, wish: OpenTable, one: Session, two: Session) -> LobbyAnswer:
        """``one`` opens a table, ``two`` sits down."""
        opened = table(await self.lobby.ask(wish, one))
        return await self.lobby.ask(JoinTable(opened.id), two)

    async def state(self, match: str) -> MatchState:
        """The match as it stands."""
        state = fold(await self.matches.read(match))
        assert state is not None
        return state

    async def gives(
        self, match: str, player: str, command: PlayerCommand, *, dry_run: bool = False
    ) -> CommandAnswer:
        """A player's command at the newest commit."""
        self._ids += 1
        request = CommandRequest(
            id=f"s{self._ids}",
            command=command,
            player=player,
            expected=(await self.state(match)).n,
            dry_run=dry_run,
        )
        subject = subjects.command("gateway", "game", match)
        return COMMAND_ANSWER.decode(await self.bus.request(subject, ENCODER.encode(request), 5_000))

    async def consumed(self) -> None:
        """What the durable consumers of the ledger do, from the beginning."""
        for entry in list(self.matches.entries):
            await self.ledger.on_commit(*entry)
        seen = 0
        while seen < len(self.accounts.entries):
            await self.ledger.on_entry(*self.accounts.entries[seen])
            seen += 1
