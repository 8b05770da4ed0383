"""The list of tables as somebody asks for it: filters, people's ratings where a filter needs them, pages."""

from collections.abc import Callable
from functools import cache
from typing import Final

from services.lobby import admission
from services.lobby.domain import Table
from services.lobby.listing import Listing, Page, is_place, place_of
from services.lobby.standings import Remembered, Standings
from shared.catalogue import MOST_EXPERIENCE, MOST_RATING, clocks
from shared.events.match import ClockTerms, Terms
from shared.events.table import Admits
from shared.problems import Refused
from shared.rules.registry import rules
from shared.stakes import MOST_STAKE
from shared.wire.lobby import ListTables

MOST_PER_PAGE: Final = 100
AT_ONCE: Final = 100  # players whose standing is asked for in one question
MOST_LOOKED_UP: Final = 500  # tables of one page for which somebody's standing is looked up
OWN_CLOCK: Final = "own"


class Finding:
    """Answers ``ListTables``."""

    def __init__(
        self, listing: Listing, standings: Standings, now_ms: Callable[[], int], main_game: str
    ) -> None:
        """``main_game`` is what the list opens with (B2), empty for all."""
        self._listing = listing
        self._standings = Remembered(standings, now_ms)
        self._now_ms = now_ms
        self._main_game = main_game

    async def page(self, asked: ListTables, player: str) -> Page:
        """The tables that ``player`` (empty: somebody) asks for, newest first.

        Raises ``Refused`` ``invalid``; ``unauthorized`` where it is about the asker and he is unknown;
        ``unavailable`` where ratings are asked for and cannot be known.
        """
        _check(asked, player)
        game = asked.game or ("" if asked.others or asked.invited else self._main_game)
        candidates = [
            table
            for place, table in self._listing.newest_first()
            if (not asked.after or place < asked.after)
            and self._now_ms() < table.expires_at_ms
            and _fits(table, asked, game, player)
        ]
        if not _about_people(asked):
            rest = len(candidates) > asked.limit
            shown = candidates[: asked.limit]
            return Page(tuple(shown), place_of(shown[-1]) if rest else "")
        return await self._among(candidates, asked, player)

    async def _among(self, candidates: list[Table], asked: ListTables, player: str) -> Page:
        """The same where people's standings matter; after so many tables the page ends as it is."""
        found: list[Table] = []
        for begin in range(0, min(len(candidates), MOST_LOOKED_UP), AT_ONCE):
            some = candidates[begin : begin + AT_ONCE]
            fitting = await self._suiting(some, asked, player)
            for table in some:
                if table.id not in fitting:
                    continue
                if len(found) == asked.limit:
                    return Page(tuple(found), place_of(found[-1]))
                found.append(table)
        more = len(candidates) > MOST_LOOKED_UP
        return Page(tuple(found), place_of(candidates[MOST_LOOKED_UP - 1]) if more else "")

    async def _suiting(self, tables: list[Table], asked: ListTables, player: str) -> set[str]:
        """Which of ``tables`` suit the asker: what he asks of creators, and what they ask of him."""
        by_game: dict[str, list[Table]] = {}
        for table in tables:
            by_game.setdefault(table.opened.rules, []).append(table)
        wanted = Admits(
            rating_min=asked.rating_min, rating_max=asked.rating_max, experience_max=asked.experience_max
        )
        suiting: set[str] = set()
        for game, of_game in by_game.items():
            creators = {table.opened.player for table in of_game} if wanted != Admits() else set[str]()
            asker = {player} if asked.fitting else set[str]()
            known = await self._standings.of(game, sorted(creators | asker))
            for table in of_game:
                opened = table.opened
                unwanted = bool(creators) and admission.excluded(wanted, known[opened.player])
                kept_out = (
                    asked.fitting and opened.admits and admission.excluded(opened.admits, known[player])
                )
                if not unwanted and not kept_out:
                    suiting.add(table.id)
        return suiting


def _check(asked: ListTables, player: str) -> None:
    if not 1 <= asked.limit <= MOST_PER_PAGE:
        raise Refused("invalid", f"limit: 1 to {MOST_PER_PAGE}.")
    if asked.after and not is_place(asked.after):
        raise Refused("invalid", "after: the next that came with a page, as it came.")
    for name, value, most in (
        ("stake_min", asked.stake_min, MOST_STAKE),
        ("stake_max", asked.stake_max, MOST_STAKE),
        ("rating_min", asked.rating_min, MOST_RATING),
        ("rating_max", asked.rating_max, MOST_RATING),
        ("experience_max", asked.experience_max, MOST_EXPERIENCE),
    ):
        if value is not None and not 0 <= value <= most:
            raise Refused("invalid", f"{name}: 0 to {most}.")
    if (asked.invited or asked.fitting) and not player:
        raise Refused("unauthorized", "Whom should the tables be for? Sign in.")


def _about_people(asked: ListTables) -> bool:
    wanted = (asked.rating_min, asked.rating_max, asked.experience_max)
    return asked.fitting or any(value is not None for value in wanted)


def _target(terms: Terms) -> int | None:
    """The points to play to, 0 in a single game; a series has none."""
    return None if terms.series else terms.target or 0


@cache
def _clocks(game: str) -> dict[str, ClockTerms | None]:
    """The clocks of ``game`` by their names; of so many games as there are."""
    return clocks(rules(game).traits)


def _has_clock(table: Table, name: str) -> bool:
    """Whether the table's clock is called ``name`` in the catalogue of its game."""
    offered = _clocks(table.opened.rules)
    clock = table.opened.terms.clock
    if name == OWN_CLOCK:
        return clock not in offered.values()
    return name in offered and offered[name] == clock


def _fits(table: Table, asked: ListTables, game: str, player: str) -> bool:
    opened = table.opened
    return (
        (table.keeps_for(player) if asked.invited else table.listed)
        and (not game or game in (opened.rules, opened.terms.series))
        and (not asked.house or opened.house == asked.house)
        and (asked.target is None or _target(opened.terms) == asked.target)
        and (asked.computer is None or opened.computer == asked.computer)
        and (asked.stake_min is None or opened.stake >= asked.stake_min)
        and (asked.stake_max is None or opened.stake <= asked.stake_max)
        and (not asked.clock or _has_clock(table, asked.clock))
    )
