"""Players and their sessions."""

from typing import Final

import msgspec
from aiohttp import web

from services.gateway.call import Call
from services.gateway.lobby import ask_lobby
from services.gateway.router import Answer, Route
from shared.problems import Refused
from shared.tokens import PLAY, WATCH
from shared.wire.lobby import (
    Done,
    Forget,
    GetPlayer,
    LobbyCommand,
    LobbyRequest,
    LogIn,
    LogOut,
    PlayerView,
    Refresh,
    Register,
    Session,
)


class SignIn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A new session: with nickname and password, or with a refresh token (which is used up)."""

    nickname: str = ""
    password: str = ""
    refresh_token: str = ""
    bot_key: str = ""
    audit_key: str = ""


class SignOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """The session to end: that of ``refresh_token``, or without one that of the access token."""

    refresh_token: str = ""


def asked(call: Call, request: LobbyCommand) -> LobbyRequest:
    """``request`` with who asks it."""
    return LobbyRequest(
        request=request,
        player=call.player,
        scopes=call.scopes,
        session=call.who.id if call.who else "",
        address=call.address,
        key=call.key,
    )


async def register(call: Call) -> web.Response:
    """A new player, and his first session."""
    session = await ask_lobby(call.gateway.bus, asked(call, call.body(Register)), Session)
    answer = call.json(session, 201)
    answer.headers["Location"] = f"/v1/players/{session.player.id}"
    return answer


async def sign_in(call: Call) -> web.Response:
    """A new session."""
    body = call.body(SignIn)
    request: LobbyCommand
    if body.refresh_token:
        request = Refresh(refresh_token=body.refresh_token)
    elif body.nickname and body.password:
        request = LogIn(
            nickname=body.nickname, password=body.password, bot_key=body.bot_key, audit_key=body.audit_key
        )
    else:
        raise Refused("invalid", "Send nickname and password, or a refresh_token.")
    return call.json(await ask_lobby(call.gateway.bus, asked(call, request), Session), 201)


async def sign_out(call: Call) -> web.Response:
    """End a session."""
    body = call.body(SignOut)
    if not body.refresh_token and call.who is None:
        raise Refused("unauthorized", "Send the refresh_token, or the access token.")
    await ask_lobby(call.gateway.bus, asked(call, LogOut(refresh_token=body.refresh_token)), Done)
    return web.Response(status=204)


async def me(call: Call) -> web.Response:
    """The asker himself."""
    return call.json(await ask_lobby(call.gateway.bus, asked(call, GetPlayer()), PlayerView))


async def forget(call: Call) -> web.Response:
    """Forget the asker."""
    await ask_lobby(call.gateway.bus, asked(call, Forget()), Done)
    return web.Response(status=204)


ROUTES: Final = (
    Route(
        "POST",
        "/v1/players",
        register,
        "Register with nickname and password, or play as a guest; answers with a session. A guest's "
        "registration is answered again for 10 minutes, afterwards it is id_reused.",
        Answer(201, Session, meaning="The new player and his session."),
        body=Register,
        keyed=True,
        bucket="sign_ins",
        refusals=("nickname_taken", "id_reused", "bad_credentials", "forbidden"),
        tag="players",
    ),
    Route(
        "POST",
        "/v1/sessions",
        sign_in,
        "Log in with nickname and password, or refresh a session. A repeated log-in is a session more: "
        "answers that hold tokens are not stored.",
        Answer(201, Session, meaning="A session; the access token lives 15 minutes."),
        body=SignIn,
        optional_key="Only for a refresh: the same key and refresh token again, after a lost answer, give "
        "the same next refresh token. Any other second use of a refresh token ends its session.",
        bucket="sign_ins",
        refusals=("bad_credentials", "forbidden"),
        tag="players",
    ),
    Route(
        "DELETE",
        "/v1/sessions",
        sign_out,
        "Log out. Access tokens that are out live on to their own end.",
        Answer(204, meaning="The session has ended."),
        body=SignOut,
        optional_body=True,
        bucket="writes",
        tag="players",
    ),
    Route(
        "GET",
        "/v1/me",
        me,
        "Who am I?",
        Answer(200, PlayerView, meaning="The player whose token this is."),
        scopes=(PLAY, WATCH),
        tag="players",
    ),
    Route(
        "DELETE",
        "/v1/me",
        forget,
        "Forget me: nickname and password are gone for good, finished matches stay under a bare id.",
        Answer(204, meaning="Forgotten."),
        scopes=(PLAY,),
        bucket="writes",
        tag="players",
    ),
)
