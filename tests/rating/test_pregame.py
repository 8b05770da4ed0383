"""The message before a rated match, in three languages."""

import pytest

from shared.events.match import Terms
from shared.pregame import LANGUAGES, chosen, points, pregame
from shared.ratings import snapshot

RATED = snapshot("chess", Terms(), [(2221, 3), (2600, 40)])


@pytest.mark.rule("B10")
def test_both_are_told_the_difference_and_what_each_can_win_or_lose() -> None:
    told = pregame(RATED)
    assert (told.kind, told.unit, told.difference) == ("chess", 2, 379)
    first, second = told.seats
    assert (first.rating, first.win, first.loss) == (2221, 20, -12)  # a newcomer: half of 20 and of 12
    assert (second.rating, second.win, second.loss) == (2600, 24, -40)
    assert "1110.5" in first.text
    assert "newcomer" in first.text
    assert "A win gains you 12, a loss costs you 20." in second.text


@pytest.mark.rule("B10")
@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("cs", ("Váš rating je 1110,5", "získáte 10, prohrou ztratíte 6", "nováček", "Remíza nic nezmění")),
        ("en", ("Your rating is 1110.5", "gains you 10, a loss costs you 6", "newcomer", "draw")),
        ("ru", ("Ваш рейтинг 1110,5", "принесёт вам 10, поражение отнимет 6", "новичок", "Ничья")),
    ],
)
def test_the_message_is_told_in_each_language(language: str, sentences: tuple[str, ...]) -> None:
    text = pregame(RATED, language).seats[0].text
    assert all(sentence in text for sentence in sentences), text


def test_a_match_by_the_formula_says_nothing_of_draws() -> None:
    told = pregame(snapshot("backgammon", Terms(target=5), [(150_000, 0), (161_250, 30)]))
    assert "1612.5" in told.seats[0].text
    assert "draw" not in told.seats[0].text


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("cs-CZ,cs;q=0.9,en;q=0.8", "cs"),
        ("de, ru;q=0.5, en;q=0.3", "ru"),
        ("fr", "en"),
        ("en;q=0.2, cs;q=abc, ru;q=0.1", "en"),
        ("cs;q=0, ru", "ru"),
        (";;;,=,q=", "en"),
    ],
)
def test_the_language_is_the_one_liked_best_among_ours(header: str, language: str) -> None:
    assert chosen(header) == language
    assert language in LANGUAGES


@pytest.mark.parametrize(
    ("units", "unit", "text"),
    [(2400, 2, "1200"), (2221, 2, "1110,5"), (150_007, 100, "1500,07"), (-3, 2, "−1,5"), (50, 100, "0,5")],
)
def test_units_are_shown_as_points(units: int, unit: int, text: str) -> None:
    assert points(units, unit, "cs") == text
