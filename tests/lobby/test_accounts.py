"""Accounts on memory ports: who may be whom, and what is kept about him."""

import asyncio

import pytest
from argon2 import PasswordHasher

from services.lobby import sealing
from services.lobby.accounts import GUEST_REPEAT_MS, Limits
from services.lobby.passwords import Passwords
from services.lobby.sealing import Personal, Unsealable
from shared import tokens
from shared.adapters.memory_bucket import MemoryBucket
from shared.adapters.memory_log import MemoryLog
from shared.adapters.memory_throttle import MemoryThrottle
from shared.events.codec import decode_player
from shared.ports.throttle import Rate
from shared.wire.lobby import Done, Forget, GetPlayer, LogIn, PlayerView, RefusedAnswer, Register
from tests.support.lobby import AUDIT_KEY, BOT_KEY, PASSWORD, MemoryHouse, code, session

KEY = "5f1d1a2e-register"


def _log(house: MemoryHouse) -> MemoryLog:
    assert isinstance(house.stores.players, MemoryLog)
    return house.stores.players


async def test_a_registered_player_logs_in_and_his_token_says_who_he_is() -> None:
    lobby = MemoryHouse().lobby()
    registered = await lobby.player("Jana")
    again = session(await lobby.ask(LogIn(nickname="Jana", password=PASSWORD)))
    assert again.player == registered.player == PlayerView(registered.player.id, "Jana")
    token = tokens.verify(lobby.public_key, again.access_token, lobby.clock.ms)
    assert (token.player, token.scopes) == (registered.player.id, ("play", "watch"))
    assert again.expires_in_ms == 900_000


@pytest.mark.rule("B17")
async def test_one_nickname_signs_in_however_it_is_written() -> None:
    lobby = MemoryHouse().lobby()
    registered = await lobby.player("Straße")
    for written in ("straße", "STRASSE", "\uff33traße"):
        assert (
            session(await lobby.ask(LogIn(nickname=written, password=PASSWORD))).player == registered.player
        )


@pytest.mark.parametrize(("first", "second"), [("Jana", "JANA"), ("Straße", "STRASSE"), ("Jana", "Ｊａｎａ")])
async def test_nicknames_that_differ_by_case_or_form_clash(first: str, second: str) -> None:
    lobby = MemoryHouse().lobby()
    await lobby.player(first)
    assert code(await lobby.ask(Register(nickname=second, password=PASSWORD))) == "nickname_taken"


@pytest.mark.parametrize(
    "nickname",
    [
        "",
        "J",
        "J" * 21,
        " Jana",
        "Jana ",
        "Ja  na",
        "Ja\u200bna",
        "Ja\nna",
        "-jana",
        "Guest-ab3d",
        "guest",
        "COMPUTER",
        "\u3164\u3164\u3164",
        "Jana\u202e",
        "<b>Jana",
        "x" * 100_000,
        # ours, and what can be taken for it
        "Ghost",
        "Admin",
        "Operator",
        "Kronika Admin",
        "guest_1234",
        "Guest1234",
        "admin.2",
        "G-h-o-s-t",
        "Ádmin",
        "4dm1n",
        "adrnin",
        "AdmIn",
        "adm\u0131n",
        "\u1d00\u1d05\u1d0d\u026a\u0274",  # small capitals
        "\u050d\u04bb\u043e\u0455\u0442",  # ghost in Cyrillic letters
        "Gh0st",
        "King Computer",
        # two alphabets
        "J\u0430na",
        "\u0406van",
        "\u0391nna",
        "Иван X",
    ],
)
async def test_a_bad_nickname_is_refused_with_the_reason(nickname: str) -> None:
    house = MemoryHouse()
    answer = await house.lobby().ask(Register(nickname=nickname, password=PASSWORD))
    assert code(answer) == "invalid"
    assert isinstance(answer, RefusedAnswer)
    assert answer.problem.detail.startswith("nickname: ")
    assert _log(house).entries == []


@pytest.mark.parametrize(
    "nickname",
    ["Jiří", "Иван Петров", "Ελένη", "O'Neill", "x.y_z-1", "将棋", "将棋 fan", "Guestav", "Adminka"],
)
async def test_names_of_all_languages_are_welcome(nickname: str) -> None:
    assert (await MemoryHouse().lobby().player(nickname)).player.nickname == nickname


@pytest.mark.parametrize("password", ["", "short", "x" * 257, "zero\0byte"])
async def test_a_bad_password_is_refused(password: str) -> None:
    house = MemoryHouse()
    assert code(await house.lobby().ask(Register(nickname="Jana", password=password))) == "invalid"
    assert _log(house).entries == []


async def test_a_guest_plays_under_a_readable_name() -> None:
    lobby = MemoryHouse().lobby()
    guest = await lobby.player()
    assert guest.player.guest
    assert guest.player.nickname == f"Guest-{guest.player.id[-4:]}"
    assert code(await lobby.ask(Register(guest=True, nickname="Jana"))) == "invalid"
    assert (
        code(await lobby.ask(LogIn(nickname=guest.player.nickname, password=PASSWORD))) == "bad_credentials"
    )


async def test_a_repeated_registration_finds_the_first_one_and_a_changed_one_is_refused() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    wish = Register(nickname="Jana", password=PASSWORD)
    first = session(await lobby.ask(wish, key=KEY))
    assert session(await house.lobby().ask(wish, key=KEY)).player == first.player
    other_password = Register(nickname="Jana", password=PASSWORD + "!")
    assert code(await lobby.ask(other_password, key=KEY)) == "id_reused"
    assert code(await lobby.ask(Register(nickname="Ivan", password=PASSWORD), key=KEY)) == "id_reused"
    assert code(await lobby.ask(Register(guest=True), key=KEY)) == "id_reused"
    assert len(_log(house).entries) == 1
    assert code(await lobby.ask(Register(guest=True), key="1")) == "invalid"


async def test_a_guests_key_is_good_for_a_repeat_and_not_a_password_for_ever() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    guest = session(await lobby.ask(Register(guest=True), key=KEY))
    house.clock.ms += GUEST_REPEAT_MS - 1
    assert session(await lobby.ask(Register(guest=True), key=KEY)).player == guest.player
    house.clock.ms += 1
    assert code(await lobby.ask(Register(guest=True), key=KEY)) == "id_reused"
    jana = Register(nickname="Jana", password=PASSWORD)
    first = session(await lobby.ask(jana, key=KEY + "2"))
    house.clock.ms += GUEST_REPEAT_MS
    assert session(await lobby.ask(jana, key=KEY + "2")).player == first.player, "his password speaks for him"


async def test_the_same_registration_at_two_instances_at_once_is_one_player() -> None:
    house = MemoryHouse()
    wish = Register(nickname="Jana", password=PASSWORD)
    answers = await asyncio.gather(*[house.lobby().ask(wish, key=KEY) for _ in range(4)])
    assert len({session(answer).player.id for answer in answers}) == 1
    assert len(_log(house).entries) == 1


async def test_of_many_who_want_one_nickname_at_once_one_gets_it() -> None:
    house = MemoryHouse()
    wish = Register(nickname="Jana", password=PASSWORD)
    answers = await asyncio.gather(*[house.lobby().ask(wish) for _ in range(6)])
    won = [answer for answer in answers if not isinstance(answer, RefusedAnswer)]
    assert len(won) == 1
    assert {code(answer) for answer in answers if isinstance(answer, RefusedAnswer)} == {"nickname_taken"}
    winner = session(won[0]).player
    assert session(await house.lobby().ask(LogIn(nickname="jana", password=PASSWORD))).player == winner
    assert isinstance(house.stores.keys, MemoryBucket)
    assert list(house.stores.keys.values) == [winner.id], "who lost is forgotten"


async def test_a_crash_before_the_nickname_was_claimed_leaves_it_free_and_a_repeat_finishes() -> None:
    house = MemoryHouse()
    wish = Register(nickname="Jana", password=PASSWORD)
    first = session(await house.lobby().ask(wish, key=KEY))
    assert isinstance(house.stores.names, MemoryBucket)
    house.stores.names.values.clear()
    assert code(await house.lobby().ask(LogIn(nickname="Jana", password=PASSWORD))) == "bad_credentials"
    assert session(await house.lobby().ask(wish, key=KEY)).player == first.player
    assert session(await house.lobby().ask(LogIn(nickname="Jana", password=PASSWORD))).player == first.player


async def test_a_stranger_and_a_wrong_password_get_the_same_answer() -> None:
    lobby = MemoryHouse().lobby()
    await lobby.player("Jana")
    wrong = await lobby.ask(LogIn(nickname="Jana", password="wrong horse"))  # noqa: S106 - a test's
    stranger = await lobby.ask(LogIn(nickname="Nobody", password="wrong horse"))  # noqa: S106 - a test's
    impossible = await lobby.ask(LogIn(nickname="\0" * 5000, password=""))
    assert wrong == stranger == impossible
    assert code(wrong) == "bad_credentials"


class Counting(Passwords):
    """Passwords that remember the parameters of every hash that was really computed."""

    def __init__(self) -> None:
        super().__init__(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        self.computed: list[str] = []

    async def verify(self, kept: str, password: str) -> bool:
        self.computed.append(kept.rsplit("$", 2)[0])
        return await super().verify(kept, password)


async def test_a_stranger_costs_the_same_hash_as_a_wrong_password() -> None:
    """So that nobody learns from the time of an answer which nicknames exist."""
    lobby = MemoryHouse().lobby()
    counting = Counting()
    lobby.accounts._passwords = counting  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - a test's wiring
    await lobby.player("Jana")
    for nickname in ("Jana", "Nobody"):
        answer = await lobby.ask(LogIn(nickname=nickname, password="wrong horse"))  # noqa: S106 - a test's
        assert code(answer) == "bad_credentials"
    known, unknown = counting.computed
    assert known == unknown


async def test_guessing_is_slowed_down_by_nickname_and_by_address() -> None:
    house = MemoryHouse()
    house.stores.throttle = MemoryThrottle(house.clock.now_ms)
    limits = Limits(address=Rate(5, 1_000), pair=Rate(2, 20_000), nickname=Rate(4, 6_000))
    lobby = house.lobby(limits=limits)
    jana = await lobby.player("Jana")
    wrong = LogIn(nickname="jana", password="wrong horse")  # noqa: S106 - a test's
    right = LogIn(nickname="JANA", password=PASSWORD)
    for address in ("192.0.2.2", "192.0.2.2", "192.0.2.3", "192.0.2.3"):
        assert code(await lobby.ask(wrong, address=address)) == "bad_credentials"
    for address, wait_ms in (("192.0.2.2", 20_000), ("192.0.2.5", 6_000)):
        answer = await lobby.ask(right, address=address)
        assert isinstance(answer, RefusedAnswer)
        assert code(answer) == "rate_limited"
        assert answer.retry_after_ms == wait_ms, "by nickname and address, then by nickname alone"
    house.clock.ms += 20_000
    assert session(await lobby.ask(right, address="192.0.2.2")).player == jana.player
    assert code(await lobby.ask(wrong, address="192.0.2.2")) == "bad_credentials", "success begins anew"
    answers = [
        await lobby.ask(LogIn(nickname=f"Nobody{i}", password="x"), address="198.51.100.1")  # noqa: S106 - a test's
        for i in range(6)
    ]
    assert [code(answer) for answer in answers] == ["bad_credentials"] * 5 + ["rate_limited"]


async def test_wrong_passwords_from_elsewhere_do_not_lock_a_player_out() -> None:
    house = MemoryHouse()
    house.stores.throttle = MemoryThrottle(house.clock.now_ms)
    lobby = house.lobby()
    jana = await lobby.player("Jana")
    wrong = LogIn(nickname="Jana", password="wrong horse")  # noqa: S106 - a test's
    right = LogIn(nickname="Jana", password=PASSWORD)
    for i in range(80):  # 8 addresses with all they have
        assert code(await lobby.ask(wrong, address=f"192.0.2.{10 + i // 10}")) == "bad_credentials"
    assert session(await lobby.ask(right, address="192.0.2.1")).player == jana.player
    for _ in range(60):  # one address for an hour
        house.clock.ms += 60_000
        codes = [code(await lobby.ask(wrong, address="192.0.2.10")) for _ in range(4)]
        assert codes == ["bad_credentials"] * 3 + ["rate_limited"]
        assert session(await lobby.ask(right, address="192.0.2.1")).player == jana.player


async def test_a_flood_of_log_ins_is_sent_away_before_it_is_hashed() -> None:
    free = Limits(address=Rate(1000, 1), pair=Rate(1000, 1), nickname=Rate(1000, 1))
    lobby = MemoryHouse().lobby(limits=free)
    answers = await asyncio.gather(
        *[lobby.ask(LogIn(nickname=f"Nobody{i}", password="x")) for i in range(100)]  # noqa: S106 - a test's
    )
    codes = [code(answer) for answer in answers]
    assert codes.count("bad_credentials") == 66
    assert codes.count("unavailable") == 34


async def test_the_operators_keys_give_scopes_and_wrong_ones_are_refused() -> None:
    lobby = MemoryHouse().lobby()
    assert (await lobby.bot()).scopes == ("play", "watch", "bot")
    await lobby.player("Jana")
    both = LogIn(nickname="Jana", password=PASSWORD, bot_key=BOT_KEY, audit_key=AUDIT_KEY)
    given = session(await lobby.ask(both))
    assert given.scopes == ("play", "watch", "bot", "audit")
    assert tokens.verify(lobby.public_key, given.access_token, lobby.clock.ms).scopes == given.scopes
    assert code(await lobby.ask(Register(guest=True, bot_key=AUDIT_KEY))) == "forbidden"
    assert code(await lobby.ask(Register(guest=True, audit_key="ř"))) == "forbidden"


async def test_nothing_personal_is_stored_in_clear() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    jana = await lobby.player("Jana Nováková")
    await lobby.ask(LogIn(nickname="Jana Nováková", password=PASSWORD))
    await lobby.ask(Forget(), jana)
    await lobby.player("Jana Nováková")
    buckets = (house.stores.keys, house.stores.names, house.stores.refresh)
    stored = [data for _, _, data in _log(house).entries]
    for bucket in buckets:
        assert isinstance(bucket, MemoryBucket)
        stored += [key.encode() + b" " + value for key, value in bucket.values.items()]
    for data in stored:
        for personal in ("Jana", "jana", "Nov", PASSWORD, "argon2", "192.0.2.1"):
            assert personal.encode() not in data


async def test_a_forgotten_player_is_unreadable_and_his_chain_still_verifies() -> None:
    house = MemoryHouse()
    lobby = house.lobby()
    jana = await lobby.player("Jana")
    assert await lobby.ask(GetPlayer(jana.player.id)) == jana.player
    assert await lobby.ask(Forget(), jana) == Done()
    assert await house.stores.keys.get(jana.player.id) is None
    gone = PlayerView(jana.player.id, "", forgotten=True)
    for instance in (lobby, house.lobby()):
        assert await instance.ask(GetPlayer(jana.player.id)) == gone, "reading checks the chain"
        assert code(await instance.ask(LogIn(nickname="Jana", password=PASSWORD))) == "bad_credentials"
    assert [
        type(e).__name__
        for data in await house.stores.players.read(jana.player.id)
        for e in decode_player(data).events
    ] == [
        "PlayerRegistered",
        "PlayerForgotten",
    ]
    assert await lobby.ask(Forget(), jana) == Done(), "again changes nothing"
    assert len(_log(house).entries) == 2
    other = await lobby.player("Jana")
    assert other.player.id != jana.player.id, "the nickname is free again"


async def test_without_its_key_a_player_is_unreadable_whatever_else_is_kept() -> None:
    house = MemoryHouse()
    jana = await house.lobby().player("Jana")
    await house.stores.keys.delete(jana.player.id)
    answer = await house.lobby().ask(GetPlayer(jana.player.id))
    assert answer == PlayerView(jana.player.id, "", forgotten=True)


async def test_a_box_of_another_player_does_not_open() -> None:
    """Somebody with write access to the broker cannot give one player another's password."""
    house = MemoryHouse()
    lobby = house.lobby()
    jana, ivan = await lobby.player("Jana"), await lobby.player("Ivan")
    keys = house.stores.keys
    assert isinstance(keys, MemoryBucket)
    keys.values[jana.player.id] = keys.values[ivan.player.id]
    assert code(await house.lobby().ask(LogIn(nickname="Jana", password=PASSWORD))) == "internal"


def test_a_box_is_bound_to_its_player_and_to_every_bit() -> None:
    key = sealing.new_key()
    box = sealing.seal(key, "pjanajana", Personal("Jana", "hash"))
    assert sealing.unseal(key, "pjanajana", box) == Personal("Jana", "hash")
    assert sealing.seal(key, "pjanajana", Personal("Jana", "hash")) != box, "equal names do not look equal"
    for player, changed in (
        ("pivanivan", box),
        ("pjanajana", ("B" if box[0] == "A" else "A") + box[1:]),
        ("pjanajana", ""),
        ("pjanajana", "ř"),
    ):
        with pytest.raises(Unsealable):
            sealing.unseal(key, player, changed)


async def test_who_is_unknown_is_unknown() -> None:
    lobby = MemoryHouse().lobby()
    for player in ("pnobodynobody", "../x", "p*", "x" * 500):
        assert code(await lobby.ask(GetPlayer(player))) == "unknown_player"
    assert code(await lobby.ask(GetPlayer())) == "unauthorized"
    assert code(await lobby.ask(Forget())) == "unauthorized"
    assert await lobby.ask(GetPlayer("pcomputer")) == PlayerView("pcomputer", "Computer", bot=True)
