"""Where the strategies and experiments that come with beansim are, installed or in the repository.

Standard library only: both the loader of strategies and the reader of experiments use it.
"""

from __future__ import annotations

from pathlib import Path

BUNDLED_KINDS = ("strategies", "experiments")
"""The folders that come with beansim; in a wheel they lie under `beansim/_bundled/`."""


def bundled_folder(kind: str) -> Path:
    """Folder of the `kind` (one of `BUNDLED_KINDS`) that comes with beansim.

    A wheel maps the repository's top-level folders into `beansim/_bundled/`; a checkout or an
    editable install has them beside the package. Raises ValueError for any other kind.
    """
    if kind not in BUNDLED_KINDS:
        raise ValueError(f"nothing of the kind {kind!r} comes with beansim, expected one of {BUNDLED_KINDS}")
    package = Path(__file__).resolve().parent
    installed = package / "_bundled" / kind
    return installed if installed.is_dir() else package.parent / kind
