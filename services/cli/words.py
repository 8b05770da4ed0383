"""The list of words, before anything is started: built once for all services, and named on a line."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from services.cli.watching import BAD, GOOD
from shared.adapters.word_files import NotWritable
from shared.adapters.word_lists import ONLY_OWN, SETTING, NotBuilt, built, chosen_own, named, pending
from shared.rules.scrabble.words import OWN

NAME: Final = "words"


async def prepare(
    environment: Mapping[str, str], data: Path, say: Callable[[str, str, str], None]
) -> dict[str, str]:
    """Have the list ready that services find in ``data``; ``say(name, text, tone)`` takes a line.

    Without this each service would build it while it must become ready in time. Returns variables for the
    services: where it cannot be had, none of them tries again. Raises ``SettingsError``.
    """
    try:
        work = pending(environment, data)
        if work is not None:
            say(NAME, f"made from {work.source}, once: it may take a minute or two …", GOOD)
            await built(environment, data)
        found = named(environment, data)
    except (NotWritable, NotBuilt) as error:
        say(NAME, f"{error} Scrabble has only its own small list: {OWN.count:,} words", BAD)
        return {SETTING: ONLY_OWN}
    if found is not None:
        say(NAME, f"{found.id}, {found.count:,} words", GOOD)
    elif chosen_own(environment):
        say(NAME, f"{OWN.id}, {OWN.count:,} words, as {SETTING} says", GOOD)
    else:
        say(NAME, f"{OWN.id}, {OWN.count:,} words (install hunspell-cs, or set {SETTING}, for more)", GOOD)
    return {}
