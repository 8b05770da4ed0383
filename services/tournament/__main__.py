"""``python -m services.tournament``."""

from services.tournament.app import start
from shared.service import run

if __name__ == "__main__":
    run("tournament", start)
