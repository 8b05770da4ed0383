"""``python -m services.clock``."""

from services.clock.app import start
from shared.service import run

if __name__ == "__main__":
    run("clock", start)
