"""A new workspace: a folder with a strategy, an experiment and a test to start from."""

from __future__ import annotations

from pathlib import Path

from beansim.errors import InputError

TEMPLATES = Path(__file__).parent / "templates"
"""What a new workspace holds, as it lies there."""


def make_workspace(folder: Path) -> list[Path]:
    """Write the files of a new workspace to `folder`; returns them.

    Raises InputError when one of them is there already (nothing is written then), or when the folder
    cannot be written.
    """
    names = [path.relative_to(TEMPLATES) for path in sorted(TEMPLATES.glob("*/first.*"))]
    names += [path.relative_to(TEMPLATES) for path in sorted(TEMPLATES.glob("*/test_*.py"))]
    there = [str(folder / name) for name in names if (folder / name).exists()]
    if there:
        raise InputError(f"{there[0]} is there already; choose another folder, nothing was written")
    try:
        for name in names:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text((TEMPLATES / name).read_text(encoding="utf-8"), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write the workspace {folder}: {error.strerror}") from error
    return [folder / name for name in names]
