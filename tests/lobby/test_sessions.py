"""Refresh tokens: one use each; who uses one twice ends the session."""

import hashlib

import pytest

from shared import tokens
from shared.adapters.memory_bucket import MemoryBucket
from shared.wire.lobby import Done, Forget, LogIn, LogOut, Refresh
from tests.support.lobby import PASSWORD, Lobby, MemoryHouse, code, session

DAY_MS = 24 * 3600 * 1000


async def _refresh(lobby: Lobby, token: str, key: str = "") -> str:
    return session(await lobby.ask(Refresh(token), key=key)).refresh_token


async def test_a_refresh_token_is_used_up_and_gives_the_next_one() -> None:
    lobby = MemoryHouse().lobby()
    bot = await lobby.bot()
    lobby.clock.ms += 20 * 60 * 1000
    following = session(await lobby.ask(Refresh(bot.refresh_token)))
    assert following.player == bot.player
    assert following.scopes == bot.scopes
    assert following.refresh_token != bot.refresh_token
    assert tokens.verify(lobby.public_key, following.access_token, lobby.clock.ms).player == bot.player.id


async def test_using_one_twice_ends_the_session_and_no_other() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    here = await lobby.player("Jana")
    elsewhere = session(await lobby.ask(LogIn(nickname="Jana", password=PASSWORD)))
    following = await _refresh(lobby, here.refresh_token)
    assert code(await house.lobby().ask(Refresh(here.refresh_token))) == "unauthorized"
    assert code(await lobby.ask(Refresh(following))) == "unauthorized", "the thief's or the owner's: both end"
    await _refresh(lobby, elsewhere.refresh_token)


async def test_a_lost_answer_can_be_asked_for_again_with_the_same_key() -> None:
    house = MemoryHouse()
    first = (await house.lobby().player()).refresh_token
    second = await _refresh(house.lobby(), first, key="attempt-1")
    assert await _refresh(house.lobby(), first, key="attempt-1") == second
    third = await _refresh(house.lobby(), second, key="attempt-2")
    assert code(await house.lobby().ask(Refresh(first), key="attempt-3")) == "unauthorized"
    assert code(await house.lobby().ask(Refresh(third))) == "unauthorized"


@pytest.mark.parametrize("by_token", [True, False])
async def test_logging_out_ends_the_session(by_token: bool) -> None:  # noqa: FBT001 - two ways
    lobby = MemoryHouse().lobby()
    guest = await lobby.player()
    following = await _refresh(lobby, guest.refresh_token)
    if by_token:
        assert await lobby.ask(LogOut(following)) == Done()
    else:
        session_id = tokens.verify(lobby.public_key, guest.access_token, lobby.clock.ms).id
        await lobby.accounts.log_out("", session_id)
    assert code(await lobby.ask(Refresh(following))) == "unauthorized"
    assert await lobby.ask(LogOut(following)) == Done(), "again is no mistake"
    assert await lobby.ask(LogOut("nonsense")) == Done()


async def test_an_old_token_and_nonsense_are_refused() -> None:
    lobby = MemoryHouse().lobby()
    guest = await lobby.player()
    for nonsense in ("", "x", guest.refresh_token + "A", guest.access_token, "ř" * 9999):
        assert code(await lobby.ask(Refresh(nonsense))) == "unauthorized"
    lobby.clock.ms += 30 * DAY_MS
    assert code(await lobby.ask(Refresh(guest.refresh_token))) == "unauthorized"


async def test_a_forgotten_player_gets_no_more_tokens() -> None:
    lobby = MemoryHouse().lobby()
    guest = await lobby.player()
    await lobby.ask(Forget(), guest)
    assert code(await lobby.ask(Refresh(guest.refresh_token))) == "unauthorized"


async def test_only_hashes_of_tokens_are_stored() -> None:
    house = MemoryHouse()
    guest = await house.lobby().player()
    await _refresh(house.lobby(), guest.refresh_token, key="attempt-1")
    bucket = house.stores.refresh
    assert isinstance(bucket, MemoryBucket)
    assert hashlib.sha256(guest.refresh_token.encode()).hexdigest() in bucket.values
    for name, value in bucket.values.items():
        assert guest.refresh_token not in name
        assert guest.refresh_token.encode() not in value
