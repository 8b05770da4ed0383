"""``python -m services.ledger``."""

from services.ledger.app import start
from shared.service import run

if __name__ == "__main__":
    run("ledger", start)
