"""Accounts: register, log in, be somebody, be forgotten.

What makes a registration: the key in KEYS, then the sealed entry in the log, then the claim on the nickname
in NAMES. A crash in between leaves a box that nobody finds, and the nickname free.
"""

import hashlib
import hmac
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec

from services.lobby import nicknames, sealing
from services.lobby.passwords import Passwords
from services.lobby.sealing import Personal
from services.lobby.sessions import Sessions, Tokens
from shared.catalogue import computer_name
from shared.events.codec import decode_player
from shared.events.player import PlayerEvent, PlayerForgotten, PlayerRegistered
from shared.ids import derived_id, is_id, new_id
from shared.journal import Cause, Tip, Written, follow, write
from shared.ports.log import Conflict, EventLog
from shared.ports.secrets import Bucket
from shared.ports.throttle import Rate, Throttle
from shared.problems import Refused
from shared.tokens import AUDIT, BOT, LIFE_MS, PLAY, WATCH
from shared.wire.lobby import LogIn, PlayerView, Register, Session

LEAST_KEY: Final = 16  # of an Idempotency-Key that alone says who repeats a registration
NICKNAME_TAKEN: Final = "nickname_taken"  # why a registration that lost its race is forgotten
GUEST_REPEAT_MS: Final = 10 * 60 * 1000  # how long a guest's registration may be repeated
REMEMBER_MS: Final = 60_000  # how long a nickname may be shown after another instance forgot the player
_MOST_REMEMBERED: Final = 10_000


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How often one may try: from one address (registrations count too), from it at one nickname, at one.

    A guesser at one nickname gets 10 tries and then 3 a minute from each address (4,330 the first day), and
    from all addresses together 100 and then 10 a minute: 14,500 the first day, 5.3 million a year: of
    8 random lower-case letters and digits two millionths. One address never uses up the nickname's tries;
    ten at once, or four that keep at it, still can.
    """

    address: Rate = Rate(60, 1_000)
    pair: Rate = Rate(10, 20_000)
    nickname: Rate = Rate(100, 6_000)


class Throttled(Exception):  # noqa: N818 - what happens to the asker
    """Too many tries; the next one in ``wait_ms``."""

    def __init__(self, wait_ms: int) -> None:
        """Wait ``wait_ms``."""
        self.wait_ms = wait_ms
        super().__init__(f"wait {wait_ms} ms")


class Secrets(msgspec.Struct, frozen=True):
    """What the operator gives: the pepper of all hashes, and the keys that give scopes (empty: nobody)."""

    pepper: bytes
    bot_key: str = ""
    audit_key: str = ""


class _Player(msgspec.Struct, frozen=True):
    """A player's log, and what his key opens.

    ``personal`` is None when he is forgotten; ``forgotten`` is the cause, empty if only his key is gone.
    """

    id: str
    tip: Tip
    registered: PlayerRegistered
    command_hash: str
    forgotten: str
    key: bytes | None
    personal: Personal | None


class Accounts:
    """All that concerns who somebody is."""

    def __init__(
        self,
        *,
        log: EventLog,
        keys: Bucket,
        names: Bucket,
        sessions: Sessions,
        passwords: Passwords,
        throttle: Throttle,
        secrets: Secrets,
        now_ms: Callable[[], int],
        limits: Limits | None = None,
    ) -> None:
        """``log`` holds the players' logs, ``keys`` and ``names`` the buckets KEYS and NAMES."""
        self._log = log
        self._keys = keys
        self._names = names
        self._sessions = sessions
        self._passwords = passwords
        self._throttle = throttle
        self._secrets = secrets
        self._now_ms = now_ms
        self._limits = limits or Limits()
        self._remembered: dict[str, tuple[PlayerView, int]] = {}

    # ---- registering

    async def register(self, request: Register, key: str, address: str) -> Session:
        """A new player in a new session; with the same ``key`` again the same player.

        A guest has no password, so for ``GUEST_REPEAT_MS`` his key is as good as one, and then never again.
        """
        scopes = self._scopes(request.bot_key, request.audit_key)
        nickname = self._wanted(request)
        if key and len(key) < LEAST_KEY:
            raise Refused("invalid", f"Idempotency-Key: at least {LEAST_KEY} characters here.")
        if not request.guest:
            await self._slow_down("address", address, self._limits.address)
        player_id = derived_id("p", "", "register", key) if key else new_id("p")
        nickname = nickname or nicknames.guest(player_id)
        player = await self._read(player_id) if key else None
        if player is None:
            player = await self._create(player_id, nickname, request)
        else:
            await self._check_repeat(player, nickname, request)
        if not request.guest:
            await self._claim(player, nickname)
        return self._session(await self._sessions.begin(player_id, scopes), _view(player))

    def _wanted(self, request: Register) -> str:
        if request.guest:
            if request.nickname or request.password:
                raise Refused("invalid", "A guest has neither nickname nor password.")
            return ""
        nickname = nicknames.check(request.nickname)
        self._passwords.check(request.password)
        return nickname

    async def _create(self, player_id: str, nickname: str, request: Register) -> _Player:
        if not request.guest:
            owner = await self._names.get(self._name(nickname))
            if owner is not None and owner != player_id.encode():
                raise Refused("nickname_taken")
        password_hash = "" if request.guest else await self._passwords.hash(request.password)
        key = await self._key_for(player_id)
        personal = Personal(nickname, password_hash)
        registered = PlayerRegistered(sealing.seal(key, player_id, personal), request.guest)
        cause = Cause("register", _request_hash(key, nickname, guest=request.guest), player_id)
        written: Written[PlayerEvent] = write(Tip(), player_id, self._now_ms(), cause, (registered,))
        try:
            await self._log.append(player_id, written.entry.n, written.stored)
        except Conflict:
            # The same key came first on another instance: this is a repeat.
            player = await self._read(player_id)
            if player is None:
                raise Refused("unavailable") from None
            await self._check_repeat(player, nickname, request)
            return player
        return _Player(player_id, written.tip, registered, cause.hash, "", key, personal)

    async def _key_for(self, player_id: str) -> bytes:
        """The player's key: a fresh one, or that of an attempt that got no further."""
        key = sealing.new_key()
        if await self._keys.create(player_id, key):
            return key
        known = await self._keys.get(player_id)
        if known is None:
            raise Refused("unavailable")
        return known

    async def _check_repeat(self, player: _Player, nickname: str, request: Register) -> None:
        """Whether ``request`` is the one that made ``player``; raises ``id_reused`` if not."""
        if player.key is None or player.personal is None:
            if player.forgotten == NICKNAME_TAKEN:
                raise Refused("nickname_taken")
            raise Refused("id_reused", "The player of this registration is forgotten.")
        given = _request_hash(player.key, nickname, guest=request.guest)
        if not hmac.compare_digest(given, player.command_hash):
            raise Refused("id_reused")
        if request.guest:
            # The only entry of a guest who is not forgotten is his registration.
            if self._now_ms() - player.tip.at_ms >= GUEST_REPEAT_MS:
                raise Refused("id_reused", "A guest's registration can be repeated for 10 minutes only.")
            return
        if not await self._passwords.verify(player.personal.password_hash, request.password):
            raise Refused("id_reused")

    async def _claim(self, player: _Player, nickname: str) -> None:
        """Take the nickname; who comes second is forgotten again and told that it is taken."""
        name = self._name(nickname)
        if await self._names.create(name, player.id.encode()):
            return
        if await self._names.get(name) != player.id.encode():
            await self._end(player, NICKNAME_TAKEN)
            raise Refused("nickname_taken")

    # ---- logging in

    async def log_in(self, request: LogIn, address: str) -> Session:
        """A new session. The answer and the work are the same for a wrong password and for a stranger.

        Tries are counted by address, by nickname and address, and much more widely by nickname alone, so
        that wrong passwords from elsewhere do not lock the player out; see ``Limits`` for the arithmetic.
        """
        scopes = self._scopes(request.bot_key, request.audit_key)
        name = self._name(request.nickname[: 8 * nicknames.MOST])
        await self._slow_down("address", address, self._limits.address)
        pair = f"{name}\0{address}"
        await self._slow_down("pair", pair, self._limits.pair)
        await self._slow_down("nickname", name, self._limits.nickname)
        owner = await self._names.get(name)
        player = await self._read(derived_id("p", name) if owner is None else owner.decode())
        personal = player.personal if player is not None else None
        kept = personal.password_hash if personal is not None else ""
        right = await self._passwords.verify(kept or self._passwords.dummy, request.password)
        if not right or not kept or player is None:
            raise Refused("bad_credentials")
        await self._throttle.clear(self._throttled("pair", pair))
        return self._session(await self._sessions.begin(player.id, scopes), _view(player))

    async def refresh(self, token: str, key: str) -> Session:
        """The next tokens of a session whose player is not forgotten."""
        given = await self._sessions.refresh(token, key)
        player = await self._read(given.player)
        if player is None or player.personal is None:
            raise Refused("unauthorized", "There is no such player any more.")
        return self._session(given, _view(player))

    async def log_out(self, token: str, session: str) -> None:
        """End the session of ``token``, or ``session``."""
        ending = await self._sessions.session_of(token) if token else session
        if ending:
            await self._sessions.end(ending)

    # ---- being somebody

    async def view(self, player_id: str) -> PlayerView:
        """How others see this player; raises ``unknown_player``."""
        if name := computer_name(player_id):
            return PlayerView(player_id, name, bot=True)
        remembered = self._remembered.get(player_id)
        if remembered is not None and self._now_ms() < remembered[1]:
            return remembered[0]
        player = await self._read(player_id) if is_id(player_id) else None
        if player is None:
            raise Refused("unknown_player")
        view = _view(player)
        if len(self._remembered) >= _MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[player_id] = (view, self._now_ms() + REMEMBER_MS)
        return view

    async def find(self, who: str) -> str:
        """The id of the player with this nickname or id, who is not forgotten; raises ``unknown_player``."""
        named = await self._names.get(self._name(who)) if len(who) <= nicknames.MOST else None
        player = await self.view(who if named is None else named.decode())
        if player.forgotten or player.bot:
            raise Refused("unknown_player")
        return player.id

    async def forget(self, player_id: str) -> None:
        """Forget this player. May be repeated, and completes what was interrupted."""
        player = await self._read(player_id)
        if player is None:
            raise Refused("unknown_player")
        if player.personal is not None and not player.registered.guest:
            name = self._name(player.personal.nickname)
            if await self._names.get(name) == player.id.encode():
                await self._names.delete(name)
        await self._end(player, "wish")

    async def _end(self, player: _Player, cause: str) -> None:
        self._remembered.pop(player.id, None)
        if not player.forgotten:
            forget = Cause("forget", hashlib.sha256(cause.encode()).hexdigest(), player.id)
            forgotten = (PlayerForgotten(cause),)
            written: Written[PlayerEvent] = write(player.tip, player.id, self._now_ms(), forget, forgotten)
            with suppress(Conflict):  # a repeat came first: the same fact
                await self._log.append(player.id, written.entry.n, written.stored)
        await self._keys.delete(player.id)

    # ---- inside

    async def _read(self, player_id: str) -> _Player | None:
        stored = await self._log.read(player_id)
        key = await self._keys.get(player_id)
        tip, registered, forgotten, command_hash = Tip(), None, "", ""
        for data in stored:
            entry = decode_player(data)
            tip = follow(tip, player_id, entry, data)
            for event in entry.events:
                if isinstance(event, PlayerRegistered):
                    registered, command_hash = event, entry.command_hash
                else:
                    forgotten = event.cause
        if registered is None:
            return None
        personal = None
        if key is not None and not forgotten:
            personal = sealing.unseal(key, player_id, registered.sealed)
        return _Player(player_id, tip, registered, command_hash, forgotten, key, personal)

    def _scopes(self, bot_key: str, audit_key: str) -> tuple[str, ...]:
        scopes = [PLAY, WATCH]
        for scope, given, right in (
            (BOT, bot_key, self._secrets.bot_key),
            (AUDIT, audit_key, self._secrets.audit_key),
        ):
            if not given:
                continue
            if not right or not hmac.compare_digest(given.encode(), right.encode()):
                raise Refused("forbidden", f"That is not the operator's key for scope {scope}.")
            scopes.append(scope)
        return tuple(scopes)

    async def _slow_down(self, what: str, text: str, rate: Rate) -> None:
        if text and (wait_ms := await self._throttle.take(self._throttled(what, text), rate)):
            raise Throttled(wait_ms)

    def _throttled(self, what: str, text: str) -> str:
        return f"login:{what}:{self._keyed(what, text)[:32]}"

    def _name(self, nickname: str) -> str:
        return self._keyed("name", nicknames.fold(nickname))

    def _keyed(self, purpose: str, text: str) -> str:
        return hmac.digest(self._secrets.pepper, f"{purpose}\0{text}".encode(), "sha256").hex()

    def _session(self, given: Tokens, view: PlayerView) -> Session:
        return Session(
            access_token=given.access,
            refresh_token=given.refresh,
            expires_in_ms=LIFE_MS,
            scopes=given.scopes,
            player=view,
        )


def _view(player: _Player) -> PlayerView:
    if player.personal is None:
        return PlayerView(player.id, "", guest=player.registered.guest, forgotten=True)
    return PlayerView(player.id, player.personal.nickname, guest=player.registered.guest)


def _request_hash(key: bytes, nickname: str, *, guest: bool) -> str:
    """The identity of a registration, keyed by the player's own key, so that it gives nothing away.

    The password is not in it; a repeat must fit its argon2 hash instead.
    """
    return hmac.digest(key, msgspec.json.encode([nickname, guest]), "sha256").hex()
