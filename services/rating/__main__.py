"""``python -m services.rating``."""

from services.rating.app import start
from shared.service import run

if __name__ == "__main__":
    run("rating", start)
