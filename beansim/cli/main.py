"""The command line: the group of commands, loaded one by one when they are used."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

import click

from beansim import __version__
from beansim.errors import BeansimError, InputError, nearest

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


class Lazy(NamedTuple):
    """Where a command is, and the line that `--help` shows without importing it."""

    place: str
    help: str


COMMANDS: dict[str, Lazy] = {
    "run": Lazy("beansim.cli.run:run", "Play an experiment and write its report."),
    "play": Lazy("beansim.cli.play:play", "Tell one game move by move, or record it."),
    "replay": Lazy("beansim.cli.replay:replay", "Check recorded games against the rules."),
    "match": Lazy("beansim.cli.match:match", "Play two strategies until it is clear which is better."),
    "tournament": Lazy("beansim.cli.tournament:tournament", "Rate strategies that all meet one another."),
    "power": Lazy("beansim.cli.power:power", "Say how many deals a difference takes to be seen."),
    "report": Lazy("beansim.cli.report:report", "Write the report of a run again."),
    "tune": Lazy("beansim.cli.tune:tune", "Search a strategy's parameters for values that win more."),
    "check": Lazy("beansim.cli.check:check", "Check that a strategy keeps its contract."),
    "compare": Lazy("beansim.cli.compare:compare", "Play the same deals under several rule sets."),
    "strategies": Lazy("beansim.cli.strategies:strategies", "List the strategies, or describe one."),
    "init": Lazy("beansim.cli.init:init", "Make a workspace: a strategy, an experiment, a test."),
    "variants": Lazy("beansim.cli.variants:variants", "List the variants, or show the rules of one."),
    "bench": Lazy("beansim.cli.bench:bench", "Measure how fast games are played on this machine."),
}
"""Every command, in the order of `--help`. Nothing but click is imported to show that."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command `cmd_name`; None when there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].place.partition(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is an error with the nearest names."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = nearest(args[0], COMMANDS)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"no such command {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from `COMMANDS`, importing none of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.help) for name, lazy in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="beansim", message="%(prog)s %(version)s")
def cli() -> None:
    """Answer questions about Bohnanza by playing many games.

    Start with:  beansim run two-pass
    """


IMPORTED_OBJECTS = 100_000
"""Objects made between two collections of garbage: imports make as many that all stay."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    _open_closed()
    gc.set_threshold(IMPORTED_OBJECTS)
    code = run_main(arguments)
    gc.freeze()  # the process ends: looking for garbage among all that was imported takes a second
    sys.exit(code)


def _open_closed() -> None:
    """Input and output that we were started without lead nowhere, instead of to the first file opened."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, mode, closefd=False))


def run_main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code, having printed any error as one line."""
    try:
        code = cli.main(arguments, prog_name="beansim", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        click.echo(_in_words(error), err=True)
        return error.exit_code
    except BeansimError as error:
        click.echo(f"error: {error}", err=True)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`beansim ... | head`): nobody is left to tell.
        _drop_output()
        return 0
    except OSError as error:
        # What is expected to fail is caught where it happens; this is a full disk, mostly.
        _drop_output()
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"error: cannot write or read: {place}{error.strerror or error}", err=True)
        return InputError.exit_code
    return code if isinstance(code, int) else 0


def _drop_output() -> None:
    """What is still to be written to stdout goes nowhere, or Python would fail again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _in_words(error: click.ClickException) -> str:
    """A mistake, and where to read how the command is used; without any arguments, the help itself."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.format_message()
    ctx = getattr(error, "ctx", None)
    see = f" (see {ctx.command_path} --help)" if ctx is not None else ""
    return f"error: {error.format_message()}{see}"
