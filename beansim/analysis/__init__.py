"""Estimates, intervals and tests on block values, made from exact tallies."""
