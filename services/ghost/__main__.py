"""``python -m services.ghost``."""

from services.ghost.app import start
from shared.service import run

if __name__ == "__main__":
    run("ghost", start)
