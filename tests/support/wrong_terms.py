"""Matches that cannot be, each with the option that its refusal must name.

The lobby, the game service and the verifier are held against the same table.
"""

from typing import Any, Final

import msgspec

from shared.events.match import MatchCreated, Pinned, Seat, Terms
from tests.support.story import PLAYERS, games_of

FORGED: Final = "ab" * 32


class Wrong(msgspec.Struct, frozen=True, kw_only=True):
    """``terms`` and ``options`` for ``rules`` (or the series in ``terms``), of which ``named`` is wrong.

    ``games`` are those of a forged series. What the lobby sets right or cannot be asked for is ``inside``
    the house only.
    """

    named: str
    rules: str = "backgammon"
    terms: dict[str, Any] = {}
    options: dict[str, Any] = {}
    games: tuple[str, ...] = ()
    inside: bool = False

    def created(self) -> MatchCreated:
        """The first event of such a match."""
        series = str(self.terms.get("series", ""))
        games = tuple(Pinned(game, 1) for game in self.games) or games_of(series)
        return MatchCreated(
            rules=games[0].rules if games else self.rules,
            rules_version=1,
            seats=tuple(Seat(player) for player in PLAYERS),
            secret_hash=FORGED,
            terms=Terms(**self.terms),
            options=self.options,
            games=games,
        )


MIXED: Final = {"series": "mixed"}
TAVLI: Final = {"series": "tavli", "cube": False}
NO_CUBE: Final = {"cube": False}
GIVEAWAY: Final = {"mode": "giveaway"}
DRAW: Final = {"mode": "draw"}

WRONG: Final[dict[str, Wrong]] = {
    **{
        f"{rules} to {target}": Wrong(named="target", rules=rules, terms={"target": target})
        for rules in ("backgammon", "hypergammon", "long_nardy")
        for target in (0, 1, 4, 6, 8, 10, 12, 14, 15, 99, -3)
    },
    **{
        f"{rules} to points": Wrong(named="target", rules=rules, terms={"target": 3, **NO_CUBE})
        for rules in ("plakoto", "fevga")
    },
    **{
        f"giveaway of {rules} to points": Wrong(
            named="target", rules=rules, terms={"target": 3, **NO_CUBE}, options=GIVEAWAY
        )
        for rules in ("backgammon", "hypergammon", "nackgammon", "long_nardy")
    },
    **{
        f"draw in {rules} to points": Wrong(named="target", rules=rules, terms={"target": 3}, options=DRAW)
        for rules in ("backgammon", "hypergammon", "long_nardy")
    },
    **{
        f"draw in {rules}": Wrong(named="mode", rules=rules, terms=NO_CUBE, options=DRAW)
        for rules in ("nackgammon", "plakoto", "fevga")
    },
    **{
        f"{option} of another game in {rules}": Wrong(
            named=option, rules=rules, terms=NO_CUBE, options={option: value}
        )
        for rules, option, value in (
            ("backgammon", "koks", 2),
            ("hypergammon", "opening_dice_played", True),
            ("long_nardy", "triple", False),
            ("plakoto", "koks", 3),
            ("fevga", "resign_gammon_requires_none_off", True),
        )
    },
    **{
        f"{option} {value!r} in {rules}": Wrong(
            named=option, rules=rules, terms=NO_CUBE, options={option: value}
        )
        for rules, option, value in (
            ("backgammon", "mode", "misere"),
            ("backgammon", "triple", 0),
            ("long_nardy", "koks", 1),
            ("long_nardy", "koks", True),
            ("plakoto", "opening_dice_played", "yes"),
            ("fevga", "mode", None),
        )
    },
    "scrabble without its list of words": Wrong(
        named="dictionary", rules="scrabble", terms={**NO_CUBE, "absence": "forfeit"}, inside=True
    ),
    "giveaway with the cube": Wrong(named="cube", terms={"cube": True}, options=GIVEAWAY),
    "giveaway with jacoby": Wrong(named="jacoby", terms={**NO_CUBE, "jacoby": True}, options=GIVEAWAY),
    "giveaway with gammons off": Wrong(
        named="gammons", terms={**NO_CUBE, "gammons": False}, options=GIVEAWAY
    ),
    "jacoby without the cube": Wrong(named="jacoby", terms={**NO_CUBE, "jacoby": True}),
    "jacoby in Plakoto": Wrong(named="jacoby", rules="plakoto", terms={**NO_CUBE, "jacoby": True}),
    "jacoby in a match": Wrong(named="jacoby", terms={"target": 3, "jacoby": True}, inside=True),
    "gammons off in a match": Wrong(named="gammons", terms={"target": 3, "gammons": False}, inside=True),
    "jacoby in a series": Wrong(named="jacoby", terms={**MIXED, "jacoby": True}, inside=True),
    "gammons off in a series": Wrong(named="gammons", terms={**TAVLI, "gammons": False}, inside=True),
    "another first move": Wrong(named="first_move", terms={"target": 3, "first_move": "loser"}),
    "another first move in a series": Wrong(named="first_move", terms={**TAVLI, "first_move": "winner"}),
    "an unknown series": Wrong(named="series", terms={"series": "portes"}),
    "a series to points": Wrong(named="target", terms={**MIXED, "target": 5}),
    "a mixed match without the cube": Wrong(named="cube", terms={**MIXED, "cube": False}),
    "a mixed match with beavers": Wrong(named="beaver", terms={**MIXED, "beaver": True}),
    "a Tavli with the cube": Wrong(named="cube", terms={**TAVLI, "cube": True}),
    **{
        f"{mode} in a series: {terms['series']}": Wrong(named="mode", terms=terms, options={"mode": mode})
        for mode in ("giveaway", "draw", "misere")
        for terms in (MIXED, TAVLI)
    },
    "koks in a Tavli": Wrong(named="koks", terms=TAVLI, options={"koks": 2}),
    "triple of no kind in a series": Wrong(named="triple", terms=MIXED, options={"triple": "no"}),
    "an option of no game": Wrong(named="unheard_of", terms=MIXED, options={"unheard_of": 1}),
    "a series without an end": Wrong(named="target", terms={**MIXED, "target": 0}),
    "games without a series": Wrong(named="games", games=("backgammon", "fevga"), inside=True),
    "the games of a Tavli in another order": Wrong(
        named="games", terms=TAVLI, games=("plakoto", "backgammon", "fevga", "backgammon"), inside=True
    ),
    "a Tavli with another tie-break": Wrong(
        named="games", terms=TAVLI, games=("backgammon", "plakoto", "fevga", "fevga"), inside=True
    ),
    "half a mixed match": Wrong(named="games", terms=MIXED, games=("hypergammon", "long_nardy"), inside=True),
}
