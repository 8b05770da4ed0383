"""Who has no seat is turned away at the gateway: a crowd of strangers makes no player of the match wait."""

from tests.support.api import key
from tests.support.house import open_house


async def test_the_commands_of_strangers_never_reach_the_matchs_queue() -> None:
    async with open_house() as house:
        one, two, stranger = house.player(), house.player(), house.player()
        match = await house.match([one, two])
        house.bus.requests.clear()
        ready = {"type": "ready"}
        body = {"expected": 1, "command": ready}
        async with stranger.socket() as socket:
            for _ in range(3):
                assert (await socket.command(match, ready, 1))["problem"]["code"] == "not_your_seat"
        refused = await stranger.post(f"/v1/matches/{match}/commands", body, key=key())
        assert (refused.status, refused.code) == (403, "not_your_seat")
        async with one.socket() as socket:
            await socket.watch(match)
            told = await stranger.post(f"/v1/matches/{match}/commands", body, key=key())
            assert (told.code, told.body["n"]) == ("not_your_seat", 1), "the newest commit, where it is known"
        assert house.bus.requests == []
        accepted = await one.post(f"/v1/matches/{match}/commands", body, key=key())
        assert (accepted.status, len(house.bus.requests)) == (200, 1)


async def test_a_match_that_cannot_be_read_yet_is_for_game_to_judge() -> None:
    async with open_house() as house:
        body = {"expected": 1, "command": {"type": "ready"}}
        answer = await house.player().post("/v1/matches/mnosuchmatch23/commands", body, key=key())
        assert answer.code == "unknown_match"
        assert len(house.bus.requests) == 1
