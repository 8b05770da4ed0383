"""The message before a rated match (B10), in numbers and in a sentence: Czech, English, Russian. Pure."""

from typing import Final

import msgspec

from shared.events.rated import Rated
from shared.ratings import KINDS
from shared.rules.protocol import TABLE
from shared.wire.lobby import PreGame, PreGameSeat

ENGLISH: Final = "en"
LANGUAGES: Final = ("cs", ENGLISH, "ru")

_SENTENCE: Final = {
    "cs": "Váš rating je {own}, soupeřův {other}, rozdíl {apart}. "
    "Výhrou získáte {win}, prohrou ztratíte {loss}.",
    "en": "Your rating is {own}, your opponent's {other}, a difference of {apart}. "
    "A win gains you {win}, a loss costs you {loss}.",
    "ru": "Ваш рейтинг {own}, рейтинг соперника {other}, разница {apart}. "
    "Победа принесёт вам {win}, поражение отнимет {loss}.",
}
_DRAW: Final = {
    "cs": " Remíza nic nezmění.",
    "en": " A draw changes nothing.",
    "ru": " Ничья ничего не изменит.",
}
_NEWCOMER: Final = {
    "cs": " Jako nováček hrajete o polovinu, dokud nedohrajete {until}. hru (zatím {games}).",
    "en": " As a newcomer you play for half until you have finished {until} games (so far {games}).",
    "ru": " Как новичок вы играете на половину, пока не завершите игру номер {until} (пока {games}).",
}
_HALVED: Final = {
    "cs": " Soupeř je nováček, proto i vy hrajete o polovinu.",
    "en": " Your opponent is a newcomer, so you play for half as well.",
    "ru": " Ваш соперник новичок, поэтому и вы играете на половину.",
}


def pregame(rated: Rated, language: str = ENGLISH) -> PreGame:
    """What both seats are told before a match that begins with ``rated``."""
    seats = [
        PreGameSeat(
            seat=seat,
            rating=before.rating,
            games=before.games,
            newcomer=before.newcomer,
            win=before.changes[seat],
            loss=before.changes[1 - seat],
            text="",
        )
        for seat, before in enumerate(rated.seats)
    ]
    plain = PreGame(
        kind=rated.pool,
        unit=rated.unit,
        difference=abs(rated.seats[0].rating - rated.seats[1].rating),
        seats=tuple(seats),
    )
    return in_language(plain, language)


def in_language(told: PreGame, language: str) -> PreGame:
    """The same numbers with their sentences in ``language``, one of ``LANGUAGES``."""
    seats = tuple(msgspec.structs.replace(seat, text=_text(told, seat, language)) for seat in told.seats)
    return msgspec.structs.replace(told, seats=seats)


def _text(told: PreGame, seat: PreGameSeat, language: str) -> str:
    other = told.seats[1 - seat.seat]
    kind = KINDS[told.kind]

    def shown(units: int) -> str:
        return points(units, told.unit, language)

    text = _SENTENCE[language].format(
        own=shown(seat.rating),
        other=shown(other.rating),
        apart=shown(told.difference),
        win=shown(seat.win),
        loss=shown(-seat.loss),
    )
    if kind.system == TABLE:
        text += _DRAW[language]
    if seat.newcomer:
        text += _NEWCOMER[language].format(until=kind.newcomer, games=seat.games)
    elif other.newcomer and -other.loss == seat.win and -seat.loss == other.win:
        text += _HALVED[language]
    return text


def points(units: int, unit: int, language: str) -> str:
    """Units as points of rating, the fraction only where there is one: ``1110,5`` (English: ``1110.5``)."""
    whole, rest = divmod(abs(units), unit)
    fraction = f".{100 * rest // unit:02d}".rstrip("0") if rest else ""
    sign = "−" if units < 0 else ""
    return f"{sign}{whole}{fraction if language == ENGLISH else fraction.replace('.', ',')}"


def chosen(accepted: str) -> str:
    """The language that a header ``Accept-Language`` likes best among ours; English without one."""
    best, liked = ENGLISH, 0.0
    for part in accepted[:1_000].split(","):
        name, _, parameters = part.strip().partition(";")
        quality = _quality(parameters)
        language = name.strip().lower().partition("-")[0]
        if language in LANGUAGES and quality > liked:
            best, liked = language, quality
    return best


def _quality(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return min(max(float(value), 0.0), 1.0)
    except ValueError:
        return 0.0
