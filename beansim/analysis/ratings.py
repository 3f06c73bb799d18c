"""Ratings of strategies that meet at tables of more than two: Plackett and Luce's model of who wins.

A strategy of strength w wins at a table with probability c w / (sum of c w over the table), c being its
copies there. Only first places are used: nobody plays for the order below the winner, and it has ties.
The likelihood is concave and is maximised by scipy. Errors are robust ones: the games of a deal share
their luck, so the scores are added up deal by deal before they are squared (the "sandwich").

A guest whom everyone beats half a time and loses to half a time keeps strengths finite where a strategy
won nothing or everything (Turner et al. 2020); among hundreds of games it changes nothing.

References:
    Luce (1959), Individual choice behavior. Plackett (1975), The analysis of permutations, Appl. Stat. 24.
    White (1982), Maximum likelihood estimation of misspecified models, Econometrica 50.
    Turner, van Etten, Firth, Kosmidis (2020), Modelling rankings in R: the PlackettLuce package,
        Computational Statistics 35.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from beansim.analysis.intervals import LEVEL, Sums, t_quantile
from beansim.errors import InputError
from beansim.simulate.contest import ContestTally
from beansim.simulate.layout import WIN_UNITS

Floats: TypeAlias = NDArray[np.float64]

POINTS = 400 / math.log(10)
"""Points of a rating in one unit of log-strength: 400 points more are ten times the chance of winning."""

GUEST = 0.5
"""Wins, and losses, of every strategy against the guest."""


@dataclass(frozen=True)
class Ratings:
    """Strengths of the strategies, as ratings in points around a mean of 0.

    Attributes:
        points: [strategies].
        errors: their standard errors over deals, [strategies]; NaN with fewer than two deals.
        blocks: deals they rest on.
        expected: win share of each strategy in each line-up by the model, all copies together,
            [line-ups, strategies].
        observed: the same as it was.
        noise: root mean square of the standard errors of `observed`.
    """

    points: Floats
    errors: Floats
    blocks: int
    expected: Floats
    observed: Floats
    noise: float

    def interval(self, strategy: int) -> tuple[float, float]:
        """Interval of a rating."""
        if self.blocks < 2:
            return math.nan, math.nan
        half = t_quantile(self.blocks - 1, LEVEL) * float(self.errors[strategy])
        return float(self.points[strategy]) - half, float(self.points[strategy]) + half

    @property
    def misfit(self) -> float:
        """Root mean square of what the model gets wrong in a win share, over line-ups and strategies."""
        there = self.expected > 0
        return float(np.sqrt(np.mean(np.square(self.observed - self.expected)[there])))


def plackett_luce(tally: ContestTally) -> Ratings:
    """Rate the strategies of a contest; InputError when there is no deal to rate them by."""
    if not tally.blocks:
        raise InputError("there are no deals without an error to rate the strategies by")
    copies = tally.lineups.copies.astype(np.float64)
    games = (tally.lineups.games * tally.blocks).astype(np.float64)
    wins = tally.arrays["lineup_wins"].astype(np.float64) / WIN_UNITS
    strengths = fit(copies, games, wins)
    shares = _shares(copies, strengths)
    return Ratings(
        POINTS * (strengths - strengths.mean()),
        POINTS * _errors(tally, shares, games),
        tally.blocks,
        shares,
        wins / games[:, None],
        _noise(tally),
    )


def _noise(tally: ContestTally) -> float:
    """What chance alone makes of the misfit."""
    lineups, n = tally.lineups, tally.blocks
    errors = [
        Sums(
            n, int(tally.arrays["lineup_wins"][place]), int(tally.arrays["lineup_squares"][place]), units
        ).error
        for place in zip(*np.nonzero(lineups.copies), strict=True)
        if (units := WIN_UNITS * int(lineups.games[place[0]]))
    ]
    return float(np.sqrt(np.mean(np.square(errors))))


def fit(copies: Floats, games: Floats, wins: Floats) -> Floats:
    """Log-strengths of greatest likelihood, the guest's being 0.

    Args:
        copies: how many seats a strategy has in a line-up, [line-ups, strategies].
        games: games with each line-up.
        wins: games won by all copies of a strategy, [line-ups, strategies].
    """
    from scipy.optimize import minimize

    won = wins.sum(axis=0)

    def loss(theta: Floats) -> float:
        totals = np.log(copies @ np.exp(theta - theta.max())) + theta.max()
        guest = np.logaddexp(0, theta).sum() * 2 * GUEST - GUEST * theta.sum()
        return float(games @ totals - won @ theta + guest)

    def slope(theta: Floats) -> Floats:
        gradient: Floats = games @ _shares(copies, theta) - won + GUEST * (2 * _logistic(theta) - 1)
        return gradient

    def curve(theta: Floats) -> Floats:
        guest = 2 * GUEST * _logistic(theta) * (1 - _logistic(theta))
        return information(_shares(copies, theta), games) + np.diag(guest)

    start = np.zeros(copies.shape[1])
    # Scaled to one game, so that the tolerance does not depend on how many were played.
    scale = float(games.sum())
    found = minimize(
        lambda theta: loss(theta) / scale,
        start,
        jac=lambda theta: slope(theta) / scale,
        hess=lambda theta: curve(theta) / scale,
        method="trust-exact",
        options={"gtol": 1e-10},
    )
    strengths: Floats = found.x
    return strengths


def information(shares: Floats, games: Floats) -> Floats:
    """Fisher information of the log-strengths, [strategies, strategies]; its rows add up to 0."""
    weighted = shares * games[:, None]
    matrix: Floats = np.diag(weighted.sum(axis=0)) - weighted.T @ shares
    return matrix


def _shares(copies: Floats, theta: Floats) -> Floats:
    """Win shares by the model, [line-ups, strategies]."""
    weights = copies * np.exp(theta - theta.max())
    shares: Floats = weights / weights.sum(axis=1, keepdims=True)
    return shares


def _logistic(theta: Floats) -> Floats:
    from scipy.special import expit

    found: Floats = expit(theta)
    return found


def _errors(tally: ContestTally, shares: Floats, games: Floats) -> Floats:
    """Robust standard errors of the centred log-strengths.

    The score of a deal is its wins less those expected, which are the same for every deal.
    """
    from scipy.linalg import pinvh

    n = tally.blocks
    if n < 2:
        return np.full(shares.shape[1], np.nan)
    products = tally.arrays["win_products"].astype(object)
    totals = tally.arrays["wins"].astype(object)
    # Whole numbers of any size, so that nothing is lost where two large ones nearly cancel.
    spread = (n * products - np.outer(totals, totals)).astype(np.float64) / (n - 1) / WIN_UNITS**2
    bread = pinvh(information(shares, games))
    found: Floats = np.sqrt(np.maximum(np.diag(bread @ spread @ bread), 0))
    return found
