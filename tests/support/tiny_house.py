"""``kronika up`` with one tiny service instead of the real ones, for tests of the supervisor around them."""

import asyncio
import os
import sys
from pathlib import Path

from services.cli.up import House, Service
from services.cli.watching import Looks

TINY = Service(
    "ghost", {"KRONIKA_PEPPER_FILE": "pepper.key"}, public=True, module="tests.support.tiny_service"
)

if __name__ == "__main__":
    house = House(
        port=int(os.environ.get("KRONIKA_PORT", "0")),
        nats_port=0,
        monitor_port=0,
        data=Path(os.environ["KRONIKA_DATA"]),
        services=(TINY,),
        looks=Looks(every_s=0.3, patience_s=1.5),
    )
    sys.exit(asyncio.run(house.run()))
