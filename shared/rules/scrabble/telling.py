"""A turn in words: which words were laid for how many points, and what a challenge did."""

from shared.rules.scrabble.moves import ACCEPT, CHALLENGE, NO_PLAY, is_play
from shared.rules.scrabble.state import State
from shared.rules.scrabble.tiles import TILES


def tell(before: State, after: State, seat: int, move: str, viewer: int | None) -> str:
    """What ``seat`` did with ``move``; of an exchange only its player may know more than how many tiles."""
    if move == CHALLENGE:
        return _challenged(before, after)
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


def _challenged(before: State, after: State) -> str:
    """How the challenge of the play before was judged; its points are known to be lost or kept."""
    play, judged = before.open, after.last
    if play is None or before.last is None:
        return "challenged"
    words = _listed(before.last.words)
    if judged is not None and judged.words:
        return f"challenged {words} in vain: the play stands"
    lost = _many(before.last.points, "point")
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
