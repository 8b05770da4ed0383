"""``python -m services.lobby``."""

from services.lobby.app import start
from shared.service import run

if __name__ == "__main__":
    run("lobby", start)
