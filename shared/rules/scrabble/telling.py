"""A turn in words: which words were laid for how many points, and what a challenge did."""

from shared.rules.scrabble.moves import ACCEPT, JUDGED, NO_PLAY, UPHELD, is_play
from shared.rules.scrabble.state import State
from shared.rules.scrabble.tiles import TILES


def tell(before: State, after: State, seat: int, move: str, viewer: int | None) -> str:
    """What ``seat`` did with ``move``; of an exchange only its player may know more than how many tiles."""
    if move in JUDGED:
        return _challenged(before, upheld=move == UPHELD)
    if move == ACCEPT:
        return "let the last play stand"
    if is_play(move):
        last = after.last
        words, points = ((), 0) if last is None else (last.words, last.points)
        return f"laid {_listed(words)} for {_many(points, 'point')} ({move})"
    given = move.removeprefix(NO_PLAY)
    if not given:
        return "passed"
    which = f" ({given})" if viewer == seat else ""
    return f"exchanged {_many(len(given), 'tile')}{which}"


def _challenged(before: State, *, upheld: bool) -> str:
    """How the challenge of the play before was judged."""
    play, last = before.open, before.last
    if play is None or last is None:
        return "challenged"
    words = _listed(last.words)
    if not upheld:
        return f"challenged {words} in vain: the play stands"
    lost = _many(last.points, "point")
    return f"challenged {words} rightly: seat {play.seat} takes the tiles back and loses {lost}"


def tell_draw(drawn: tuple[int, ...], *, opening: bool) -> str:
    """The lot or the first shuffle; that the bag is shuffled after an exchange goes without saying."""
    if not opening:
        return ""
    if len(drawn) == len(TILES):
        return "The tiles are mixed, and everybody takes seven."
    return f"The lot says that seat {drawn[0]} begins."


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(word.upper() for word in words)


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
