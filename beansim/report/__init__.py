"""Reports: tables, charts, HTML and Markdown of a run, and games told in words.

Importing this package is cheap; what it offers is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beansim.report.terminal import summary_frame, summary_text
    from beansim.report.write import Report, write_report

__all__ = ["Report", "summary_frame", "summary_text", "write_report"]

_PLACES = {
    "Report": "beansim.report.write",
    "write_report": "beansim.report.write",
    "summary_frame": "beansim.report.terminal",
    "summary_text": "beansim.report.terminal",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name in _PLACES:
        return getattr(importlib.import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'beansim.report' has no attribute {name!r}")
