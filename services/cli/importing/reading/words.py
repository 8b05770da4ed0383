"""Which game a form means, by the word that it has for each."""

from shared.rules.registry import CURRENT, AnyRules


def games_of(form: str) -> dict[str, AnyRules]:
    """The games whose files have this form, each under the form's own word for it."""
    return {game.traits.exports[form]: game for game in CURRENT.values() if form in game.traits.exports}


def game_of(form: str, word: str) -> AnyRules:
    """The game that the form calls ``word``, which is one of its words."""
    return games_of(form)[word]
