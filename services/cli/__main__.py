"""The ``kronika`` command. Each command is a module of its own, imported only when it is called."""

import importlib
import sys
from collections.abc import Callable
from typing import Any, Final

import typer

# name: (module with a function `command` or a group `app`, what `kronika --help` says)
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "up": ("services.cli.up", "Start the broker, Valkey and every service on this machine."),
    "import": ("services.cli.importing.command", "Play recorded matches again, through the running server."),
    "replay": ("services.cli.replay", "Show a match board by board in the terminal."),
    "export": ("services.cli.export", "Write a match as a file: its log, or a form of its game."),
    "rebuild": ("services.cli.rebuild", "Build leaderboards and histories anew from the log."),
    "audit": ("services.cli.audit", "Judge matches by their logs alone."),
}


def application(asked: str = "") -> typer.Typer:
    """The command line; only the command ``asked`` for is imported, the others stand there by name."""
    app = typer.Typer(
        name="kronika",
        help="Kronika: a self-hosted server for turn-based games.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_show_locals=False,  # they may hold secrets
    )
    for name, (module, help_text) in COMMANDS.items():
        if name != asked:
            app.command(name, help=help_text)(_named_only)
            continue
        loaded: Any = importlib.import_module(module)
        if hasattr(loaded, "app"):
            app.add_typer(loaded.app, name=name, help=help_text)
        else:
            command: Callable[..., Any] = loaded.command
            app.command(name, help=help_text)(command)
    app.callback()(_kronika)
    return app


def _named_only() -> None:
    """Stand in for a command that was not asked for."""


def _kronika() -> None:
    """Keep ``kronika`` a group of commands, even while it has only one."""


def main() -> None:
    """Run the command line; the entry point of ``kronika``."""
    asked = next((argument for argument in sys.argv[1:] if not argument.startswith("-")), "")
    application(asked)()


if __name__ == "__main__":
    main()
