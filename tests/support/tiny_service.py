"""The smallest service, for tests of the frame around it. KRONIKA_TINY chooses how it behaves."""

import asyncio
import errno
import os
import time
from pathlib import Path

from shared.service import Context, Stop, run


async def start(context: Context) -> Stop:
    """Start at once; how it goes on is for KRONIKA_TINY to say."""
    behaviour = os.environ.get("KRONIKA_TINY", "")
    context.log.info("environment", names=sorted(n for n in os.environ if n.startswith("KRONIKA_")))
    if behaviour == "forbidden":  # a violated right: the broker connection is closed for good
        await context.broker.publish("game.abcdefgh.1", b"{}")
    if behaviour == "outrun":  # somebody was quicker and listens on the port that was chosen for us
        outrun = Path(os.environ["KRONIKA_DATA"]) / "outrun"
        if not outrun.exists():
            outrun.write_text(str(context.settings.port))
            raise OSError(errno.EADDRINUSE, "Address already in use")
    if behaviour == "behind":  # another host's clock is 15 minutes ahead
        for _ in range(2):
            context.now.saw(context.now.now_ms() + 900_000)
    if behaviour == "stuck":
        asyncio.get_running_loop().call_later(0.2, time.sleep, 60)

    async def stop() -> None:
        if behaviour == "slow":
            await asyncio.sleep(60)
        context.log.info("drained")

    return stop


if __name__ == "__main__":
    run(os.environ.get("KRONIKA_NATS_USER", "ghost"), start)
