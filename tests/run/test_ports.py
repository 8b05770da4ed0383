"""Ports of ``kronika up`` and of the tests: asked for, free, and not taken by somebody else in between."""

import socket

import pytest

from services.cli.ports import CannotStart, Port
from tests.support.ports import free_port
from tests.support.running import program


def test_a_free_port_is_chosen_again_until_it_is_settled() -> None:
    port = Port("127.0.0.1", 0, "KRONIKA_PORT", "players")
    with socket.socket() as other:
        other.bind(("127.0.0.1", port.number))
        chosen = port.choose()
        assert chosen == port.number != other.getsockname()[1]
    port.settle()
    assert port.choose() == chosen


def test_a_port_that_was_asked_for_stays_or_is_refused() -> None:
    asked = free_port()
    port = Port("127.0.0.1", asked, "KRONIKA_PORT", "players")
    assert port.choose() == asked
    with socket.socket() as other:
        other.bind(("127.0.0.1", asked))
        with pytest.raises(CannotStart, match=f"Port {asked} .* KRONIKA_PORT"):
            Port("127.0.0.1", asked, "KRONIKA_PORT", "players")


async def test_two_runs_of_the_tests_never_use_the_same_port() -> None:
    ours = {free_port() for _ in range(20)}
    code = (
        "import signal; from tests.support.ports import free_port as p;"
        " print(*(p() for _ in range(20))); signal.pause()"
    )
    async with program("-c", code) as first, program("-c", code) as second:
        theirs = [{int(word) for word in (await run.says(" ")).split()} for run in (first, second)]
    assert len(ours | theirs[0] | theirs[1]) == 60
