"""A house in memory for the ghost's tests."""

from collections.abc import AsyncIterator

import pytest

from tests.support.ghosts import House


@pytest.fixture
async def house() -> AsyncIterator[House]:
    """Game service on ports in memory; ghosts made of it stop after the test."""
    house = await House().open()
    yield house
    await house.close()
