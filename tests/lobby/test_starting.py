"""From a full table to its match, step by step: where a step has no answer, and where it is done again."""

import pytest

from shared.commands import CreateMatch
from shared.ratings import snapshot
from shared.wire.lobby import GetTable, JoinTable, OpenTable, Session
from tests.support.lobby import Lobby, MemoryHouse, code, table

RATED = OpenTable(game="chess", house="boards")


async def _two(lobby: Lobby) -> tuple[Session, Session]:
    return await lobby.player("Jana"), await lobby.player("Ivan")


def _created(house: MemoryHouse) -> CreateMatch:
    (request,) = house.game.created.values()
    assert isinstance(request.command, CreateMatch)
    return request.command


@pytest.mark.rule("B10")
async def test_the_match_begins_with_the_ratings_that_both_are_told() -> None:
    house = MemoryHouse()
    await house.start_game()
    lobby = house.lobby()
    jana, ivan = await _two(lobby)
    opened = table(await lobby.ask(RATED, jana))
    joined = table(await lobby.ask(JoinTable(opened.id), ivan))
    rated = _created(house).rated
    assert rated == snapshot("chess", _created(house).terms, [(2400, 0), (2400, 0)])
    assert joined.pregame is not None
    assert [(seat.win, seat.loss) for seat in joined.pregame.seats] == [(16, -16)] * 2


async def test_without_an_answer_about_ratings_no_match_begins_and_later_it_does() -> None:
    house = MemoryHouse()
    await house.bus.serve("cmd.*.game.*", "game", house.game.answer)
    lobby = house.lobby()
    jana, ivan = await _two(lobby)
    opened = table(await lobby.ask(RATED, jana))
    waiting = table(await lobby.ask(JoinTable(opened.id), ivan))
    assert (waiting.state, house.game.asked) == ("starting", 0)
    await house.bus.serve("cmd.*.rating.*", "rating", house.ratings.answer)
    again = table(await lobby.ask(GetTable(opened.id), ivan))
    assert (again.state, again.pregame is None) == ("match", False)


async def test_the_ratings_stay_as_they_were_taken_whoever_goes_on() -> None:
    house = MemoryHouse()
    await house.bus.serve("cmd.*.rating.*", "rating", house.ratings.answer)
    lobby = house.lobby()
    jana, ivan = await _two(lobby)
    opened = table(await lobby.ask(RATED, jana))
    taken = table(await lobby.ask(JoinTable(opened.id), ivan))
    assert (taken.state, taken.n) == ("starting", 3)
    await house.bus.serve("cmd.*.game.*", "game", house.game.answer)
    other = house.lobby()
    begun = table(await other.ask(GetTable(opened.id), ivan))
    assert (begun.state, begun.n, begun.pregame) == ("match", 4, taken.pregame)


async def test_a_guests_match_is_not_rated() -> None:
    house = MemoryHouse()
    await house.start_game()
    lobby = house.lobby()
    jana, guest = await lobby.player("Jana"), await lobby.player()
    opened = table(await lobby.ask(RATED, jana))
    joined = table(await lobby.ask(JoinTable(opened.id), guest))
    assert (joined.state, joined.pregame, _created(house).rated) == ("match", None, None)
    assert table(await lobby.ask(RATED, guest)).rated is False


@pytest.mark.parametrize(
    ("wish", "rated"),
    [
        (OpenTable(game="chess", house="boards"), True),
        (OpenTable(game="chess"), False),
        (OpenTable(game="chess", rated=True), True),
        (OpenTable(game="chess", house="boards", rated=False), False),
        (OpenTable(game="chess", house="boards", computer=True), False),
        (OpenTable(game="prsi", house="boards", seats=3), False),
        (OpenTable(game="backgammon", house="duels", target=5), True),
        (OpenTable(game="backgammon", house="duels"), False),
        (OpenTable(series="tavli", house="nardy"), False),
    ],
)
async def test_a_table_is_rated_as_its_house_has_it_where_that_can_be(wish: OpenTable, rated: bool) -> None:  # noqa: FBT001 - a parameter of the test
    house = MemoryHouse()
    await house.start_game()
    lobby = house.lobby()
    jana = await lobby.player("Jana")
    assert table(await lobby.ask(wish, jana)).rated is rated


@pytest.mark.parametrize(
    "wish",
    [
        OpenTable(game="chess", computer=True, rated=True),
        OpenTable(game="prsi", seats=3, rated=True),
        OpenTable(game="backgammon", rated=True),
        OpenTable(game="plakoto", rated=True),
        OpenTable(series="tavli", rated=True),
    ],
)
async def test_what_cannot_be_rated_is_refused_where_it_is_wished(wish: OpenTable) -> None:
    lobby = MemoryHouse().lobby()
    assert code(await lobby.ask(wish, await lobby.player("Jana"))) == "invalid_options"
