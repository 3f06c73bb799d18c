"""beansim: Monte Carlo strategy analysis for the card game Bohnanza."""

__version__ = "0.1.0"
