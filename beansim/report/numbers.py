"""Numbers as people read them: as many digits as the interval bears, and no more."""

from __future__ import annotations

import math

NONE = "\N{EN DASH}"
"""Stands where there is no number."""

MINUS = "\N{MINUS SIGN}"


def digits_for(half_width: float) -> int:
    """Decimals that show an interval of this half-width: two digits of it, one from 3 on; 0 to 6."""
    if not half_width > 0 or math.isinf(half_width):
        return 2
    digits = 1 if int(f"{half_width:e}"[0]) < 3 else 0
    return min(6, max(0, digits - math.floor(math.log10(half_width))))


def number(value: float | None, digits: int = 2) -> str:
    """A number with a true minus sign; a dash for none."""
    if value is None or not math.isfinite(value):
        return NONE
    text = f"{value:,.{digits}f}"
    # Minus zero is zero.
    return text.replace("-", MINUS) if float(text.replace(",", "")) else text.lstrip("-")


def count(value: int | None) -> str:
    """A whole number with its thousands apart."""
    return NONE if value is None else f"{value:,}".replace("-", MINUS)


def counted(value: int, noun: str) -> str:
    """So many of something: 1 deal, 2 deals."""
    return f"{count(value)} {noun}" if value == 1 else f"{count(value)} {noun}s"


def signed(value: float | None, digits: int = 2) -> str:
    """A difference with its sign."""
    text = number(value, digits)
    return f"+{text}" if value is not None and value > 0 and text[0].isdigit() and text.strip("0.") else text


def percent(share: float | None, digits: int = 1) -> str:
    """A share in percent."""
    return NONE if share is None or not math.isfinite(share) else f"{number(100 * share, digits)} %"


def interval(mean: float, low: float, high: float, *, share: bool = False, sign: bool = False) -> str:
    """An estimate with its interval: `24.8 % (24.5 to 25.1)`; without one, the mean alone.

    A difference of shares is so many `in 100`, since percent of a percentage would be ambiguous.
    """
    factor = 100.0 if share else 1.0
    middle, bottom, top = (factor * value for value in (mean, low, high))
    show = signed if sign else number
    unit = (" in 100" if sign else " %") if share else ""
    if not math.isfinite(middle):
        return NONE
    if not math.isfinite(bottom) or not math.isfinite(top):
        return f"{show(middle, 2)}{unit}"
    if bottom == top:
        return f"{show(middle, 2)}{unit} (no spread)"
    digits = digits_for((top - bottom) / 2)
    return f"{show(middle, digits)}{unit} ({show(bottom, digits)} to {show(top, digits)})"


def plus_minus(mean: float, half_width: float) -> str:
    """`1.2 ± 0.2`, the mean without its sign; the half-width is left out where there is none."""
    if not half_width > 0:
        return number(abs(mean), 2)
    digits = digits_for(half_width)
    return f"{number(abs(mean), digits)} ± {number(half_width, digits)}"


def p_text(value: float | None) -> str:
    """A p value: two digits, or that it is below 0.0001."""
    if value is None or math.isnan(value):
        return NONE
    return "< 0.0001" if value < 0.0001 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"
