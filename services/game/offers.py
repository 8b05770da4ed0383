"""Doubles and resignations: what one side offers and the other answers (rules §3, §4). Pure."""

from services.game.advance import end_game, give_up
from services.game.draft import Draft
from services.game.judge import demanded
from shared import cube as cubes
from shared import series
from shared.commands import (
    AcceptBeaver,
    AcceptResignation,
    Beaver,
    DeclineResignation,
    Double,
    Pass,
    Resign,
    Take,
)
from shared.events.match import (
    BeaverAccepted,
    DoubleBeavered,
    DoubleOffered,
    DoublePassed,
    DoubleTaken,
    ResignationAccepted,
    ResignationDeclined,
    ResignationOffered,
    Resigned,
)
from shared.match import MatchState, Phase, demands
from shared.match.deciding import can_lose, cube_rests, may_beaver, may_double, may_resign, resignable
from shared.problems import Refused
from shared.rules.protocol import Result


def double(draft: Draft, seat: int, _: Double) -> None:
    """``seat``, about to roll, doubles (S9)."""
    state = draft.state
    if state.phase is Phase.PLAYING and state.crawford:
        raise Refused("crawford", n=state.n)
    if state.phase is Phase.PLAYING and all(demand.seat != seat for demand in demands(state)):
        raise Refused("not_your_turn", n=state.n)
    if state.phase is Phase.PLAYING and not may_double(state, seat):
        raise Refused("cube_unavailable", _why_no_double(state, seat), n=state.n)
    demanded(state, seat, "double")
    _must_cover(draft, seat, "You cannot double: your balance does not cover what you could lose.")
    draft.add(DoubleOffered(seat, 2 * state.cube.value, drop=_drops(draft, seat)))


def _why_no_double(state: MatchState, seat: int) -> str:
    if not state.has_cube:
        return "This match is played without the cube."
    if state.auto_roll[seat]:
        return "Switch auto-roll off to double."
    if cube_rests(state):
        return "There is no double before this roll."
    if state.cube.offered is not None:
        return "A double is on offer already."
    if state.cube.value >= cubes.LIMIT:
        return "The cube is at its limit."
    return "The cube is your opponent's."


def _offered(draft: Draft, seat: int, *, beavered: bool | None) -> None:
    """Refuse unless a double (``beavered`` True: a beaver, None: either) is on offer to ``seat``."""
    cube = draft.state.cube
    if cube.offered is None or (beavered is not None and cube.beavered is not beavered):
        raise Refused("nothing_offered", n=draft.state.n)
    if cube.by == seat:
        raise Refused("not_your_turn", "Your own offer is your opponent's to answer.", n=draft.state.n)


def _for_money(draft: Draft) -> bool:
    found = draft.state.created.staked
    return found is not None and not found.fixed


def _must_cover(draft: Draft, seat: int, why: str) -> None:
    """Refuse in a staked single game what would let ``seat`` lose more than is held of it (rules §8)."""
    if _for_money(draft) and seat not in draft.covered:
        raise Refused("no_cover", why, n=draft.state.n)


def _drops(draft: Draft, seat: int) -> bool:
    """Whether who is to answer ``seat`` has not the money for more and can only pass."""
    return _for_money(draft) and draft.state.opponent(seat) not in draft.covered


def _must_afford(draft: Draft) -> None:
    if draft.state.cube.drop:
        raise Refused(
            "no_cover", "You can only pass: your balance does not cover what you could lose.", n=draft.state.n
        )


def take(draft: Draft, seat: int, _: Take) -> None:
    """``seat`` takes and owns the cube."""
    _offered(draft, seat, beavered=False)
    _must_afford(draft)
    draft.add(DoubleTaken(seat, 2 * draft.state.cube.value))


def pass_(draft: Draft, seat: int, _: Pass) -> None:
    """``seat`` gives the game up at the value before the offer."""
    _offered(draft, seat, beavered=None)
    draft.add(DoublePassed(seat))
    end_game(draft, Result.won_by(draft.state.opponent(seat), 1), "passed")


def beaver(draft: Draft, seat: int, _: Beaver) -> None:
    """``seat`` takes and turns the cube on at once (S10)."""
    _offered(draft, seat, beavered=False)
    _must_afford(draft)
    if not may_beaver(draft.state):
        raise Refused("beaver_unavailable", n=draft.state.n)
    _must_cover(draft, seat, "You cannot beaver: your balance does not cover what you could lose.")
    draft.add(DoubleBeavered(seat, 4 * draft.state.cube.value, drop=_drops(draft, seat)))


def accept_beaver(draft: Draft, seat: int, _: AcceptBeaver) -> None:
    """The doubler plays on at the value of the beaver."""
    _offered(draft, seat, beavered=True)
    _must_afford(draft)
    draft.add(BeaverAccepted(seat, 2 * draft.state.cube.value))


def resign(draft: Draft, seat: int, command: Resign) -> None:
    """``seat`` offers to resign, or does so where no consent is needed (S15)."""
    state = draft.state
    if state.phase is not Phase.PLAYING:
        raise Refused("wrong_phase", "There is no game to resign.", n=state.n)
    if state.cube.offered is not None and state.cube.by != seat:
        pass_(draft, seat, Pass())  # rules §4: resigning while a double is on offer means Pass
        return
    if not may_resign(state, seat):
        raise Refused("resignation_unavailable", _why_no_resignation(state, seat), n=state.n)
    result = state.rules.forfeit(state.position, seat, "resigned")
    worth = result.points
    if command.worth is not None:
        worths = resignable(state)
        if not state.recorded or command.worth not in worths:
            allowed = " or ".join(map(str, worths))
            raise Refused("invalid", f"worth may be given only in a recorded match: {allowed}.", n=state.n)
        worth = command.worth
    if not state.rules.traits.consent:
        draft.add(Resigned(seat))
        give_up(draft, (seat,), "resigned", "resigned")
        return
    if series.counted(state.created.terms, worth, state.cube.value) > 1 and not command.confirm:
        raise Refused("confirmation_required", n=state.n)
    draft.add(ResignationOffered(seat, worth))


def _why_no_resignation(state: MatchState, seat: int) -> str:
    if state.resignation is not None:
        return "A resignation is waiting for its answer."
    if state.cube.offered is not None:
        return "Your double is waiting for its answer."
    if not can_lose(state, seat):
        return "You can lose no more."
    if state.resign_spent[seat]:
        return "It was declined; you may offer again on your next turn."
    return "You may offer to resign on your own turn."


def _resigned(draft: Draft, seat: int) -> None:
    offer = draft.state.resignation
    if offer is None:
        raise Refused("nothing_offered", n=draft.state.n)
    if offer.seat == seat:
        raise Refused("not_your_turn", "Your own offer is your opponent's to answer.", n=draft.state.n)


def accept_resignation(draft: Draft, seat: int, _: AcceptResignation) -> None:
    """The game ends at what was offered."""
    _resigned(draft, seat)
    offer = draft.state.resignation
    draft.add(ResignationAccepted(seat))
    end_game(draft, Result.won_by(seat, offer.worth if offer else 1), "resigned")


def decline_resignation(draft: Draft, seat: int, _: DeclineResignation) -> None:
    """Play goes on."""
    _resigned(draft, seat)
    draft.add(ResignationDeclined(seat))
