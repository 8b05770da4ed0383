"""``kronika rebuild``: build anew what may be lost, from the log."""

import asyncio
import os
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from services.cli.embedded import EmbeddedValkey, load_passwords
from services.rating.projection import Projector
from services.rating.standing import Fold
from shared import subjects
from shared.adapters import redis_standings
from shared.adapters.nats_connection import Broker, BrokerUnreachable
from shared.adapters.nats_facts import NatsFacts
from shared.adapters.redis_standings import RedisStandings
from shared.ports.log import LogUnavailable
from shared.ports.standings import ProjectionUnavailable
from shared.settings import SettingsError, from_environment

_USER: Final = "rating"
_PASSWORD: Final = "KRONIKA_RATING_NATS_PASSWORD"  # noqa: S105 - the name of a variable
_BATCH: Final = 4_096

app = typer.Typer(no_args_is_help=True, help="Build anew what may be lost, from the log.")


@app.callback()
def rebuild() -> None:
    """Build anew what may be lost, from the log."""


@app.command()
def ratings(
    data: Annotated[Path, typer.Option(envvar="KRONIKA_DATA", help="The directory of `kronika up`.")] = Path(
        ".kronika"
    ),
    nats_port: Annotated[
        int, typer.Option(envvar="KRONIKA_NATS_PORT", help="The broker's port, where `kronika up` runs it.")
    ] = 8422,
) -> None:
    """Forget all leaderboards and histories in Redis and build them from the rating log.

    Matches may go on meanwhile. KRONIKA_NATS_URL and KRONIKA_REDIS_URL name servers of your own; then
    KRONIKA_RATING_NATS_PASSWORD is the password of the broker's user `rating`.
    """
    console = Console()
    try:
        players, entries = asyncio.run(_rebuilt(data, nats_port))
    except (SettingsError, BrokerUnreachable, LogUnavailable, ProjectionUnavailable, OSError) as error:
        Console(stderr=True).print(f"[red]Not rebuilt:[/red] {error}", highlight=False)
        raise typer.Exit(1) from error
    console.print(f"{entries} finished matches of {players} players: all is as the log says.")


async def _rebuilt(data: Path, nats_port: int) -> tuple[int, int]:
    """How many players and entries there are."""
    given = os.environ
    settings = from_environment(given, _USER)
    url, redis_url = settings.nats_url, settings.redis_url.reveal()
    password = given.get(_PASSWORD) or settings.nats_password.reveal()
    if not given.get("KRONIKA_NATS_URL"):
        file = data / "nats" / "nats-passwords.json"
        if not file.exists():
            raise SettingsError(f"There is no {file}: name the directory of `kronika up` with KRONIKA_DATA.")
        url, password = f"nats://127.0.0.1:{nats_port}", load_passwords(file)[_USER]
    if not given.get("KRONIKA_REDIS_URL"):
        redis_url = EmbeddedValkey(data / "valkey").url
    broker = Broker(url, user=_USER, password=password)
    await broker.connect()
    redis = redis_standings.connect(redis_url)
    try:
        facts = NatsFacts(broker, subjects.RATINGS)
        fold, entries = Fold(), 0
        while batch := await facts.after(fold.place, _BATCH):
            entries += len(batch)
            for fact in batch:
                fold.apply(fact)
        projector = Projector(facts, RedisStandings(redis))
        await projector.renew()
        await projector.reach(fold)
        return fold.players, entries
    finally:
        await redis.aclose()
        await broker.close()
