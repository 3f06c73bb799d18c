"""`beansim report`: the report of a run, of one of its strategies, or of two runs, from stored results."""

from __future__ import annotations

from pathlib import Path

import click

from beansim.cli import options
from beansim.errors import InputError, unknown

RUN = click.Path(exists=True, file_okay=False, path_type=Path)


def _formats(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Formats separated by commas; the order and repetitions do not matter."""
    from beansim.report.write import FORMATS

    if value is None:
        return None
    asked = [name.strip().lower() for name in value.split(",") if name.strip()]
    try:
        for name in asked:
            if name not in FORMATS:
                raise unknown("format", name, FORMATS)
    except InputError as error:
        raise click.BadParameter(str(error)) from error
    if not asked:
        raise click.BadParameter(f"name at least one of {', '.join(FORMATS)}")
    return tuple(name for name in FORMATS if name in asked)


@click.command()
@click.argument("run", type=RUN)
@click.option("--out", type=options.FOLDER, metavar="DIR", help="Folder of the report [RUN itself].")
@click.option(
    "--format",
    "formats",
    metavar="LIST",
    callback=_formats,
    help="Some of html,md,csv,json,parquet,xlsx, separated by commas [all but xlsx].",
)
@click.option("--compare", type=RUN, metavar="RUN2", help="Two runs side by side, with their differences.")
@click.option("--strategy", metavar="NAME", help="How one strategy of the run plays, and what comes of it.")
@click.option(
    "--bootstrap", is_flag=True, help="With bootstrap (BCa) intervals beside the usual ones; takes long."
)
@options.quiet_option()
@click.pass_context
def report(
    ctx: click.Context,
    run: Path,
    out: Path | None,
    formats: tuple[str, ...] | None,
    compare: Path | None,
    strategy: str | None,
    bootstrap: bool,
    quiet: bool,
) -> None:
    """Write the report of the results in the folder RUN again; plays nothing.

    With --compare, comparison.html and so on; with --strategy, strategy-NAME.html and so on.
    """
    from beansim.cli.summary import print_document, report_and_print
    from beansim.report.helper import Helper
    from beansim.report.write import USUAL_FORMATS, write_comparison, write_strategy

    if sum((compare is not None, strategy is not None, bootstrap)) > 1:
        raise click.UsageError("--compare, --strategy and --bootstrap do not go together", ctx)
    wanted, folder = formats or USUAL_FORMATS, out or run
    if compare is not None:
        print_document(write_comparison(run, compare, folder, formats=wanted), quiet)
    elif strategy is not None:
        print_document(write_strategy(run, folder, strategy, formats=wanted), quiet)
    else:
        helper = ctx.with_resource(Helper())
        helper.start()
        report_and_print(run, folder, quiet, bootstrap=bootstrap, formats=wanted, helper=helper)
