"""What the README tells a newcomer to type works, word for word, against ``kronika up`` with all services."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from asyncio import to_thread
from pathlib import Path

import pytest

from tests.support.running import ROOT, program


@pytest.mark.skipif(not shutil.which("curl") or not shutil.which("bash"), reason="types at curl and bash")
async def test_the_first_match_by_hand(tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 2
    typed = "\n".join(blocks).replace("$(cat .kronika/address)", "$ADDRESS")
    typed = typed.replace(".venv/bin/python", sys.executable).replace(
        "async for frame in socket: print(frame.data)",  # without an end; a test has seen enough after three
        "for _ in range(3): print((await socket.receive()).data)",
    )
    async with program(
        "-m",
        "services.cli",
        "up",
        KRONIKA_DATA=str(tmp_path),
        KRONIKA_PORT="0",
        KRONIKA_NATS_PORT="0",
        KRONIKA_NATS_MONITOR_PORT="0",
    ) as running:
        address = (await running.says("Kronika is ready after")).split()[-1]
        shell = await to_thread(
            subprocess.run,
            ["bash", "-c", typed],
            env={**os.environ, "ADDRESS": address},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        running.send(signal.SIGINT)
        assert await running.ends() == 0
    assert "Traceback" not in shell.stderr
    lines = shell.stdout.splitlines()
    assert json.loads(lines[0]) == {"n": 3}
    frames = [json.loads(line) for line in lines if '"type":"' in line]
    assert [frame["type"] for frame in frames][:3] == ["hello", "watching", "view"]
    assert frames[2]["view"]["phase"] == "playing"
