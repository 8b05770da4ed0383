"""Matches in which everything happens that .mat and SGF can tell: for tests of what is written and read."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from shared.commands import (
    AcceptBeaver,
    AcceptResignation,
    Beaver,
    DeclineResignation,
    Double,
    Leave,
    Pass,
    ReportAbsent,
    Resign,
)
from shared.events.codec import decode_match
from shared.events.match import (
    BeaverAccepted,
    DoubleBeavered,
    DoubleOffered,
    DoublePassed,
    DoubleTaken,
    GameStarted,
    MovePlayed,
    Terms,
    TurnPassed,
)
from shared.export.form import begun
from shared.match import MatchState
from shared.match.applying import apply
from shared.match.applying import created as opened
from shared.match.deciding import demands, may_resign
from tests.support.matches import MemoryGame, Picker, first_move, last_move

Acted = MovePlayed | TurnPassed | DoubleOffered | DoubleBeavered | DoubleTaken | BeaverAccepted | DoublePassed
"""What a player does in a game, as far as .mat and SGF have a word for it."""

GAMES: Final = ("backgammon", "hypergammon", "nackgammon")
"""Those that the formats know."""

GRACE_MS: Final = 60_000
"""So long somebody is away before the ghost comes, at least."""

_TURNS: Final = 6  # of a game before something else than moves happens in it


def match(rules: str) -> MemoryGame:
    """To 7 points: a resignation after the roll, a gammon offered, doubles taken and passed, Crawford."""
    game, pick = MemoryGame(f"told {rules}", Terms(target=7), rules=rules), Picker(f"told {rules}")
    game.start()
    _resigns(game, pick, rolled=True)
    game.next()
    game.doubled(pick.move)
    game.play_on(pick.move)
    while not game.over:
        game.next()
        if game.state.crawford or pick.below(3) == 0:
            game.play_on(pick.move)
        elif pick.below(2):
            game.doubled(pick.move, taken=False)
        else:
            game.doubled(pick.move)
            _resigns(game, pick, rolled=False)
    return game


def _resigns(game: MemoryGame, pick: Picker, *, rolled: bool) -> None:
    """Somebody offers to resign some turns later, once in vain; after his roll, or before it."""
    turns = game.state.half_moves + _TURNS
    game.play_on(
        pick.move,
        until=lambda s: (
            s.half_moves >= turns
            and ("play" if rolled else "roll") in demands(s)[0].commands
            and may_resign(s, demands(s)[0].seat)
        ),
    )
    if game.over or not demands(game.state) or "next" in demands(game.state)[0].commands:
        return
    seat, _ = game.demanded()
    game.send(seat, Resign(confirm=True))
    game.send(1 - seat, AcceptResignation())


def declined(rules: str) -> MemoryGame:
    """A resignation that is declined leaves no trace: the game is played to its end."""
    seed = f"declined {rules}"
    game, pick = MemoryGame(seed, rules=rules), Picker(seed)
    game.start()
    game.play_on(pick.move, until=lambda s: may_resign(s, 0))
    game.send(0, Resign(confirm=True))
    game.send(1, DeclineResignation())
    game.play_on(pick.move)
    return game


def beavered(rules: str, *, accepted: bool, terms: Terms | None = None) -> MemoryGame:
    """A double that is beavered; the doubler plays on, or gives up."""
    seed = f"beavered {rules} {accepted} {terms}"
    game, pick = MemoryGame(seed, terms or Terms(beaver=True), rules=rules), Picker(seed)
    game.start()
    seat = game.to_roll(pick.move)
    game.send(seat, Double())
    game.send(1 - seat, Beaver())
    game.send(seat, AcceptBeaver() if accepted else Pass())
    game.play_on(pick.move)
    return game


def beaver_refused_in_a_match(rules: str) -> MemoryGame:
    """A beaver that is refused, and games after it: to 3 points."""
    pick = Picker(f"after a refused beaver {rules}")
    game = beavered(rules, accepted=False, terms=Terms(target=3, beaver=True))
    while not game.over:
        game.next()
        game.play_on(pick.move)
    return game


def left_at_a_double(rules: str, *, beavered: bool, doubler: bool) -> MemoryGame:
    """Who doubled, or the other, leaves while a double (or a beaver) waits, in a match that goes on to 7."""
    seed = f"left at a double {rules} {beavered} {doubler}"
    game, pick = MemoryGame(seed, Terms(target=7, beaver=True), rules=rules), Picker(seed)
    game.start()
    seat = game.to_roll(pick.move)
    game.send(seat, Double())
    if beavered:
        game.send(1 - seat, Beaver())
    game.send(seat if doubler else 1 - seat, Leave())
    while not game.over:
        game.next()
        game.play_on(pick.move)
    return game


LEFT: Final[dict[str, Callable[[str], MemoryGame]]] = {
    f"left at a {word} by the {who}": partial(left_at_a_double, beavered=word == "beaver", doubler=doubler)
    for word in ("double", "beaver")
    for who, doubler in (("doubler", True), ("other", False))
}
"""As ``STORIES``, which are not ended like that: gnubg takes all of these for resignations."""


def void_games(rules: str, *, passed: bool) -> MemoryGame:
    """To 3 points: the ghost wins a game for who is away, which counts nothing, and the others follow.

    It bears off, or (``passed``) its double is.
    """
    for attempt in range(100):
        seed = f"void {rules} {passed} {attempt}"
        game = MemoryGame(seed, Terms(target=3, absence="ghost"), rules=rules)
        game.start()
        seat = game.to_roll(first_move)
        game.after(GRACE_MS)
        away = seat if passed else 1 - seat
        game.hears(ReportAbsent(away, game.state.at_ms + 1))
        if passed:
            game.send(seat, Double())
            game.send(1 - seat, Pass())
        else:
            game.play_on(first_move, last_move)
        if game.over or game.state.games[0].counted:
            continue
        game.next()
        while not game.over:
            game.play_on(first_move)
            if not game.over:
                game.next()
        return game
    raise AssertionError("the ghost has won none of 100 games")


VOID: Final[dict[str, Callable[[str], MemoryGame]]] = {
    "won by a ghost": partial(void_games, passed=False),
    "passed to a ghost": partial(void_games, passed=True),
}
"""Matches with a game that does not count; the others do."""


def left_after_beaver(rules: str) -> MemoryGame:
    """The doubler accepts the beaver and leaves without a roll.

    It is none of ``STORIES``: gnubg's importer would take the first roll of the next file for an answer.
    """
    seed = f"left after a beaver {rules}"
    game, pick = MemoryGame(seed, Terms(beaver=True), rules=rules), Picker(seed)
    game.start()
    seat = game.to_roll(pick.move)
    game.send(seat, Double())
    game.send(1 - seat, Beaver())
    game.send(seat, AcceptBeaver())
    game.send(seat, Leave())
    return game


def jacoby(rules: str, *, doubled: bool) -> MemoryGame:
    """A gammon under the Jacoby rule: worth one point unless somebody has doubled."""
    for attempt in range(100):
        seed = f"jacoby {rules} {doubled} {attempt}"
        game, pick = MemoryGame(seed, Terms(jacoby=True), rules=rules), Picker(seed)
        game.start()
        if doubled:
            game.doubled(pick.move)
        game.play_on(pick.move)
        if game.state.games[0].kind != "single":
            return game
    raise AssertionError("no gammon in 100 games")


def without_cube(rules: str) -> MemoryGame:
    """A single game in which nobody may double."""
    seed = f"no cube {rules}"
    game = MemoryGame(seed, Terms(cube=False), rules=rules)
    game.start()
    game.play_on(Picker(seed).move)
    return game


def running(rules: str) -> MemoryGame:
    """A match in the middle of a game, somebody having rolled."""
    seed = f"running {rules}"
    game, pick = MemoryGame(seed, Terms(target=3), rules=rules), Picker(seed)
    game.start()
    game.doubled(pick.move)
    game.play_on(pick.move, until=lambda s: s.half_moves >= _TURNS and "play" in demands(s)[0].commands)
    return game


STORIES: Final[dict[str, Callable[[str], MemoryGame]]] = {
    "match": match,
    "declined": declined,
    "beaver accepted": lambda rules: beavered(rules, accepted=True),
    "beaver refused": lambda rules: beavered(rules, accepted=False),
    "beaver in a match": lambda rules: beavered(rules, accepted=True, terms=Terms(target=3, beaver=True)),
    "beaver refused in a match": beaver_refused_in_a_match,
    "jacoby": lambda rules: jacoby(rules, doubled=False),
    "jacoby doubled": lambda rules: jacoby(rules, doubled=True),
    "without cube": without_cube,
    "running": running,
}
"""By name; each takes the name of a game."""


def acted(lines: Sequence[bytes]) -> list[list[tuple[Acted, MatchState]]]:
    """By game, what was done in it, each with the state before it."""
    games: list[list[tuple[Acted, MatchState]]] = []
    state = opened("mtold", begun(lines))
    for event in [event for line in lines for event in decode_match(line).events][1:]:
        if isinstance(event, GameStarted):
            games.append([])
        if isinstance(event, Acted):
            games[-1].append((event, state))
        state = apply(state, event)
    return games
