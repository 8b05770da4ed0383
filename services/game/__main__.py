"""``python -m services.game``."""

from services.game.app import start
from shared.service import run

if __name__ == "__main__":
    run("game", start)
