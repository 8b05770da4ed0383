"""Wiring of the ghost service."""

import os
import sys
from functools import partial
from typing import Final

from services.ghost.handlers import Ghost
from services.ghost.players import Uci
from services.ghost.settings import uci_engine
from services.ghost.thinking import Thinker
from shared.adapters.nats_log import NatsLog
from shared.service import Context, Stop
from shared.subjects import GAMES

SWITCH_S: Final = 0.0005
"""So long a thread that thinks keeps the interpreter while others wait: ten times less than it would.

The event loop beside one search then waits 0.7 ms for its turn, in the median, instead of 5.
"""


async def start(context: Context) -> Stop:
    """Play until the returned function is awaited: it lets every command that was sent have its answer.

    Without its consumer it is not ready. Raises ``SettingsError``.
    """
    sys.setswitchinterval(SWITCH_S)
    log = NatsLog(context.broker, GAMES, on_consumer=partial(context.health.tell, "consumer"))
    installed = uci_engine(os.environ)
    ghost = Ghost(log, context.broker, Thinker(uci=None if installed is None else Uci(*installed)))
    await ghost.start()
    return ghost.close
