"""What the gateway asks the lobby, and what the lobby answers: accounts, sessions, tables.

A request goes to ``cmd.gateway.lobby.<key>``, where ``key`` is the table's id or the request's tag
(``subject_key``). The lobby answers nobody but the gateway, and believes what it says about who asks:
the broker's rights prove the sender.

**Scopes.** Every session may ``play`` and ``watch``. Whoever shows the operator's key when he registers
or logs in gets more: ``bot_key`` (the text of the file ``bot.key``) gives scope ``bot``, ``audit_key``
(``audit.key``) gives ``audit``. A wrong key is refused, it is never ignored.

**Repeats.** ``LobbyRequest.key`` is the client's Idempotency-Key. The same key with the same request gives
the stored outcome (for a registration: the same player in a new session), with another request
``id_reused``. Registering has no player yet, so there the key alone says who repeats: at least 16
characters. A guest has no password besides, so his registration is answered again for 10 minutes only and
with ``id_reused`` afterwards. Without a key nothing is recognised as a repeat.

The scope of a key is (player, route, key), and a table is part of its route (``POST /tables/{id}/join``):
a key used at one table is new at another.
"""

from typing import Any, Final

import msgspec

from shared.events.match import ClockTerms, Level, Seat, Terms
from shared.events.table import TableOpened
from shared.problems import Problem

# --- requests ---------------------------------------------------------------------------------------


class Register(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="register"):
    """A new player: nickname and password, or ``guest`` (then neither). Answer: ``Session``."""

    nickname: str = ""
    password: str = ""
    guest: bool = False
    bot_key: str = ""
    audit_key: str = ""


class LogIn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="log_in"):
    """A new session of a known player. Answer: ``Session``; refused with ``bad_credentials``."""

    nickname: str
    password: str
    bot_key: str = ""
    audit_key: str = ""


class Refresh(msgspec.Struct, frozen=True, tag="refresh"):
    """A new access token for a refresh token, which is used up. Answer: ``Session``.

    A token used twice is taken for stolen: its whole session ends (``unauthorized``).
    """

    refresh_token: str


class LogOut(msgspec.Struct, frozen=True, omit_defaults=True, tag="log_out"):
    """End the session of this refresh token, or, without one, that of the asker's access token.

    Answer: ``Done``, also when there is nothing to end. Access tokens live on to their own end.
    """

    refresh_token: str = ""


class GetPlayer(msgspec.Struct, frozen=True, omit_defaults=True, tag="get_player"):
    """Who is ``player`` (empty: the asker himself)? Answer: ``PlayerView``."""

    player: str = ""


class GetPlayers(msgspec.Struct, frozen=True, tag="get_players"):
    """Who are these (at most 100)? Answer: ``PlayerList``, in their order."""

    players: tuple[str, ...]


class Forget(msgspec.Struct, frozen=True, tag="forget"):
    """Forget the asker: his key is deleted, his nickname is free, his open tables close. Answer: ``Done``."""


class OpenTable(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="open_table"):
    """Open a table and sit down at seat 0. Answer: ``TableView``.

    What is None comes from the preset ``house`` (empty: the plain defaults of ``Terms``).
    ``target`` is the points to play to, None a single game; 2, 3, 5, 7, 9, 11, 13 where the game has
    matches; in recorded matches 0 (an open session) to 99. ``computer`` seats the computer at once,
    at ``level`` 1 (without understanding), 2 (by rules of thumb) or 3 (as well as it can); None: as the game
    says (``level`` in ``GET /games``).
    ``chance`` ``recorded`` (the dice are given) needs scope ``bot``.
    ``series`` names a series of different games instead (``GET /games`` lists them); ``game`` may then be
    left out. ``jacoby`` and ``gammons`` say what a single game is worth; in a match they are ignored (N8).
    ``rated``: the result changes ratings, where such a match can be rated and no guest sits down.
    ``clock`` is a name of the catalogue (``none``, ``move``, ``blitz``, ``standard``; ``fast``, ``normal``
    or ``slow`` where the game has them) or a clock in full; ``flag``, ``absence`` and ``grace_ms`` as in
    ``shared.events.match.Terms``. ``stake`` is what it is played for, in the smallest unit: in a single game
    for each point that it counts (cube included), else for the match; 0 for nothing.

    Who may come: ``rating_min`` and ``rating_max`` (points) and ``experience_max`` (finished games of the
    kind) ask something of the opponents. ``invite`` (a nickname or a player's id; tables of two) keeps the
    other seat for one player, ``link`` for whoever has the link that the answer holds; both are unlisted.
    The table closes ``expires_in_ms`` after it was opened; None is the server's setting.
    """

    game: str = ""
    house: str = ""
    target: int | None = None
    series: str = ""
    first_move: str | None = None
    cube: bool | None = None
    beaver: bool | None = None
    clock: str | ClockTerms | None = None
    flag: str | None = None
    absence: str | None = None
    grace_ms: int | None = None
    jacoby: bool | None = None
    gammons: bool | None = None
    options: dict[str, Any] = {}
    seats: int | None = None
    computer: bool = False
    level: int | None = None
    chance: str = "committed"
    rated: bool | None = None
    stake: int = 0
    rating_min: int | None = None
    rating_max: int | None = None
    experience_max: int | None = None
    invite: str = ""
    link: bool = False
    expires_in_ms: int | None = None


class ListTables(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="list_tables"):
    """The open tables, newest first. Answer: ``TableList``.

    Without ``game`` the list shows the house's main game, where the operator names one, and all games
    with ``others``. A series is found under its name, and under the game that it begins with. ``target`` 0
    means single games. ``stake_min`` and ``stake_max`` are in the smallest unit, 0 is nothing.
    ``clock`` is a name of the catalogue, or ``own`` for one that has no name there.
    ``rating_min``, ``rating_max`` (points) and ``experience_max`` (finished games) are about the creator, in
    the table's kind of game; ``fitting``: only tables that the asker's own rating and experience fit.
    ``invited``: only those, of any game, that keep a seat for the asker; they are in no other list.
    ``after`` is the ``next`` of the page before. Where people are looked up, a page may be short, or empty,
    though there are more.
    """

    game: str = ""
    others: bool = False
    house: str = ""
    target: int | None = None
    computer: bool | None = None
    clock: str = ""
    stake_min: int | None = None
    stake_max: int | None = None
    rating_min: int | None = None
    rating_max: int | None = None
    experience_max: int | None = None
    fitting: bool = False
    invited: bool = False
    limit: int = 50
    after: str = ""


class GetTable(msgspec.Struct, frozen=True, omit_defaults=True, tag="get_table"):
    """One table, open or not. Answer: ``TableView``.

    An unlisted one only for its players, for whom it keeps a seat, and with the ``token`` of its link;
    for everybody else it does not exist (``unknown_table``).
    """

    table: str
    token: str = ""


class JoinTable(msgspec.Struct, frozen=True, omit_defaults=True, tag="join_table"):
    """Take one's own seat, or the first free one; with the last one the match is created.

    Answer: ``TableView``. ``token`` is that of a link.
    """

    table: str
    token: str = ""


class LeaveTable(msgspec.Struct, frozen=True, tag="leave_table"):
    """Free the seat (before the table is full); the creator's leaving closes it. Answer: ``TableView``.

    So does he for whom a seat is kept: he declines.
    """

    table: str


class QuickPair(msgspec.Struct, frozen=True, tag="quick_pair"):
    """Play with anybody on these terms: at the oldest table that fits, or at a new one.

    Opponents must suit each other by what both say of rating and experience. Answer: ``TableView``.
    """

    wish: OpenTable


class Rematch(msgspec.Struct, frozen=True, tag="rematch"):
    """Play ``match``, which is over and came of ``table``, again: the same terms, the seats changed.

    The first of its players to say so opens a table that keeps the others' seats, the next ones sit down at
    it: one table for a match, ever. Answer: ``TableView``. That the match is over, the gateway has seen.
    """

    table: str
    match: str


class AgreeTerms(msgspec.Struct, frozen=True, tag="agree_terms"):
    """From the tournament service: what a table opened as ``wish`` would be. Answer: ``Agreed``."""

    wish: OpenTable


class SeatPlayers(msgspec.Struct, frozen=True, tag="seat_players"):
    """From the tournament service: table ``table`` as ``opened``, with ``seats`` taken, and so its match.

    Asked again, it finds the same table. Answer: ``TableView``.
    """

    table: str
    opened: TableOpened
    seats: tuple[Seat, ...]


AccountCommand = Register | LogIn | Refresh | LogOut | GetPlayer | GetPlayers | Forget
TableCommand = OpenTable | ListTables | GetTable | JoinTable | LeaveTable | QuickPair | Rematch
TournamentCommand = AgreeTerms | SeatPlayers
LobbyCommand = AccountCommand | TableCommand | TournamentCommand


class LobbyRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request with who asks: ``player`` and ``scopes`` of his verified access token, empty without one.

    ``session`` is that token's id, ``address`` the client's network address (for slowing down guessing;
    it is kept nowhere in clear), ``key`` his Idempotency-Key.
    """

    request: LobbyCommand
    player: str = ""
    scopes: tuple[str, ...] = ()
    session: str = ""
    address: str = ""
    key: str = ""


def subject_key(request: LobbyCommand) -> str:
    """The last token of the subject for ``request``: its table's id, or its tag. A table's id may be bad."""
    if isinstance(request, GetTable | JoinTable | LeaveTable | Rematch | SeatPlayers):
        return request.table
    return str(request.__struct_config__.tag)


# --- answers ----------------------------------------------------------------------------------------


class PlayerView(msgspec.Struct, frozen=True, tag="player"):
    """A player as others see him. A forgotten one has no nickname any more."""

    id: str
    nickname: str
    guest: bool = False
    bot: bool = False
    forgotten: bool = False


class PlayerList(msgspec.Struct, frozen=True, tag="players"):
    """Several players. One who was never registered has no nickname and counts as forgotten."""

    players: tuple[PlayerView, ...]


class Session(msgspec.Struct, frozen=True, kw_only=True, tag="session"):
    """A session: the access token for ``expires_in_ms``, the refresh token for one use."""

    access_token: str
    refresh_token: str
    expires_in_ms: int
    scopes: tuple[str, ...]
    player: PlayerView


def plays_at(seat: Seat) -> int | None:
    """How well our computer plays ``seat``: 1, 2 or 3; None where it was not seated."""
    return (seat.level or int(Level.BEST)) if seat.bot else None


class SeatView(msgspec.Struct, frozen=True, tag="seat"):
    """Seat number ``seat`` and who sits there, None while it is free; ``kept_for`` is who alone may.

    ``level`` is how well our computer plays where it sits: 1, 2 or 3, else None.
    """

    seat: int
    player: PlayerView | None
    kept_for: PlayerView | None = None
    level: int | None = None


class AdmitsView(msgspec.Struct, frozen=True, kw_only=True):
    """Whom the creator plays with, see ``OpenTable``; null: anybody."""

    rating_min: int | None = None
    rating_max: int | None = None
    experience_max: int | None = None


class TermsView(msgspec.Struct, frozen=True, kw_only=True):
    """What is agreed on, as ``shared.events.match.Terms``, with nothing left out.

    ``clock`` is null where nobody is timed; ``flag`` then means nothing.
    """

    target: int | None
    first_move: str
    cube: bool
    beaver: bool
    clock: ClockTerms | None
    flag: str
    absence: str
    grace_ms: int
    series: str
    jacoby: bool
    gammons: bool


def terms_view(terms: Terms) -> TermsView:
    """``terms`` with nothing left out."""
    return TermsView(**msgspec.structs.asdict(terms))


class PreGameSeat(msgspec.Struct, frozen=True, kw_only=True):
    """What a seat is told before a rated match (B10): numbers in units, and ``text``, a sentence or two.

    ``win`` is how its rating changes when it wins, ``loss`` (negative) when the other does; ``games`` are the
    rated ones that it has finished, and a ``newcomer`` plays for half.
    """

    seat: int
    rating: int
    games: int
    newcomer: bool
    win: int
    loss: int
    text: str


class PreGame(msgspec.Struct, frozen=True, kw_only=True):
    """The message before a rated match (B10); ``unit`` units make one point of rating."""

    kind: str
    unit: int
    difference: int
    seats: tuple[PreGameSeat, ...]


class TableView(msgspec.Struct, frozen=True, kw_only=True, tag="table"):
    """A table at entry ``n`` of its log.

    ``rated``: its match is to be rated; ``pregame`` is the message before it (in the language of
    Accept-Language: Czech, English or Russian), null until the table is full or where nothing is rated.
    ``state``: ``open`` (seats are free), ``starting`` (full; its match is being created), ``match`` (go
    on at ``match``), ``closed`` (``cause`` says why, see ``TableClosed``).
    ``stake`` is what it is played for, 0 for nothing. An open one closes at ``expires_at_ms``. ``unlisted``:
    only those whom it concerns see it. ``link`` is the token of its link, said to its creator alone.
    ``rematch`` is the match that it repeats, ``tournament`` the one to which it belongs.
    """

    id: str
    n: int
    state: str
    game: str
    rules_version: int
    terms: TermsView
    options: dict[str, Any]
    house: str
    computer: bool
    chance: str
    creator: str
    seats: tuple[SeatView, ...]
    match: str
    cause: str
    opened_at_ms: int
    rated: bool = False
    pregame: PreGame | None = None
    stake: int = 0
    expires_at_ms: int = 0
    admits: AdmitsView = AdmitsView()
    unlisted: bool = False
    link: str = ""
    rematch: str = ""
    tournament: str = ""


class TableList(msgspec.Struct, frozen=True, tag="tables"):
    """One page of tables; ``next`` is the ``after`` of the following page, empty on the last."""

    tables: tuple[TableView, ...]
    next: str


class Agreed(msgspec.Struct, frozen=True, tag="agreed"):
    """Such a table can be opened, as ``opened``: its game is pinned, its terms are complete."""

    opened: TableOpened


class Done(msgspec.Struct, frozen=True, tag="done"):
    """It is done; there is nothing more to say."""


class RefusedAnswer(msgspec.Struct, frozen=True, omit_defaults=True, tag="refused"):
    """Refused, nothing changed. ``retry_after_ms`` goes with ``rate_limited``."""

    problem: Problem
    retry_after_ms: int = 0


LobbyAnswer = Session | PlayerView | PlayerList | TableView | TableList | Agreed | Done | RefusedAnswer

ENCODER: Final = msgspec.json.Encoder()
LOBBY_REQUEST: Final = msgspec.json.Decoder(LobbyRequest)
LOBBY_ANSWER: Final[msgspec.json.Decoder[LobbyAnswer]] = msgspec.json.Decoder(LobbyAnswer)
