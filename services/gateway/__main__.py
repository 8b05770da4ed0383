"""``python -m services.gateway``."""

from services.gateway.app import start
from shared.service import run

if __name__ == "__main__":
    run("gateway", start)
