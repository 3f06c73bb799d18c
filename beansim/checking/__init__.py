"""Checks of what everything else rests on: strategies keep their contract, the engine the rules."""
