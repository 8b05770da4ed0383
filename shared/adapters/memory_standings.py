"""The projection of the ratings in memory, for tests of what stands above it."""

from collections.abc import Sequence

from shared.ports.standings import History, Line, ProjectionUnavailable, Ranks, Ratings


class MemoryStandings:
    """``Projection`` in one process; ``reachable`` and ``lose`` are for tests of what happens without it."""

    def __init__(self) -> None:
        """Nothing is built."""
        self.reachable = True
        self.lose()

    def lose(self) -> None:
        """Everything is gone."""
        self.at = 0
        self.boards: dict[str, dict[str, int]] = {}
        self.histories: dict[tuple[str, str], dict[bytes, int]] = {}

    async def place(self) -> int:
        """See ``Projection.place``."""
        self._reach()
        return self.at

    async def advance(self, expected: int, place: int, ratings: Ratings, lines: Sequence[Line]) -> bool:
        """See ``Projection.advance``."""
        self._reach()
        if self.at != expected:
            return False
        for kind, players in ratings.items():
            self.boards.setdefault(kind, {}).update(players)
        for line in lines:
            for kind in ("", line.kind):
                self.histories.setdefault((line.player, kind), {})[line.data] = line.place
        self.at = place
        return True

    async def ranks(self, kind: str, after: int, most: int) -> Ranks:
        """See ``Projection.ranks``."""
        self._reach()
        board = self.boards.get(kind, {})
        rows = sorted(board.items(), key=lambda row: (row[1], row[0]), reverse=True)
        return Ranks(self.at, len(rows), rows[after : after + most])

    async def history(self, player: str, kind: str, before: int, most: int) -> History:
        """See ``Projection.history``."""
        self._reach()
        lines = self.histories.get((player, kind), {})
        rows = sorted(lines.items(), key=lambda row: row[1], reverse=True)
        wanted = [data for data, place in rows if not before or place < before]
        return History(self.at, len(rows), wanted[:most])

    async def clear(self) -> None:
        """See ``Projection.clear``."""
        self._reach()
        self.lose()

    def _reach(self) -> None:
        if not self.reachable:
            raise ProjectionUnavailable("out of reach")
