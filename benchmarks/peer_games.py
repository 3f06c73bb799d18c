"""Random games of other libraries, timed. Run by peers.py in the environment that has them; needs no beansim.

Every library plays whole games of its own random players by the fastest loop that it offers itself, on one
core; OpenSpiel also by the loop in Python that its users mostly write. Prints one JSON line for each.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import random
import time
from collections.abc import Callable
from typing import Any, NamedTuple

SAMPLE = 10
"""Games of which the players' decisions are counted, beside those that are timed."""


class Loop(NamedTuple):
    """How to play game number N to its end, and how to count the players' decisions in what that gives."""

    play: Callable[[int], Any]
    decisions: Callable[[Any], int]


class Peer(NamedTuple):
    """A game of a library, and how to play it.

    `prepare` imports the library and sets the game up.
    """

    library: str
    game: str
    loop: str
    prepare: Callable[[], Loop]


def player_moves(state: Any) -> int:
    """Moves of players in an OpenSpiel game; dealing is not their decision."""
    return sum(step.player >= 0 for step in state.full_history())


def open_spiel(name: str) -> Callable[[], Loop]:
    """The loop in C++ over bots in C++: chance nodes, legal actions and moves never reach Python."""

    def prepare() -> Loop:
        import pyspiel

        game = pyspiel.load_game(name)
        bots = [pyspiel.make_uniform_random_bot(player, player + 1) for player in range(game.num_players())]

        def play(number: int) -> Any:
            state = game.new_initial_state()
            pyspiel.evaluate_bots(state, bots, number)
            return state

        return Loop(play, player_moves)

    return prepare


def open_spiel_python(name: str) -> Callable[[], Loop]:
    """The same game by the loop that the library's examples show, in Python."""

    def prepare() -> Loop:
        import pyspiel

        game = pyspiel.load_game(name)

        def play(number: int) -> Any:
            draw = random.Random(number)
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(draw.choices(outcomes, chances)[0])
                else:
                    state.apply_action(draw.choice(state.legal_actions()))
            return state

        return Loop(play, player_moves)

    return prepare


def rlcard(name: str, players: int | None = None) -> Callable[[], Loop]:
    """`Env.run` with the library's random agents; the mode for training, which computes less."""

    def prepare() -> Loop:
        import rlcard
        from rlcard.agents import RandomAgent

        config = {"seed": 1, **({"game_num_players": players} if players else {})}
        env = rlcard.make(name, config=config)
        env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

        def play(number: int) -> Any:
            before = env.timestep
            env.run(is_training=True)
            return int(env.timestep - before)

        return Loop(play, int)

    return prepare


def catanatron() -> Loop:
    """`Game.play` with the library's random players."""
    from catanatron import Color, Game, RandomPlayer

    def play(number: int) -> Any:
        game = Game([RandomPlayer(color) for color in Color], seed=number + 1)
        game.play()
        return game

    return Loop(play, lambda game: len(game.state.actions))


PEERS: tuple[Peer, ...] = (
    Peer("open-spiel", "hearts, 4 players", "C++", open_spiel("hearts")),
    Peer("open-spiel", "crazy eights, 4 players", "C++", open_spiel("crazy_eights(players=4)")),
    Peer("open-spiel", "crazy eights, 4 players", "Python", open_spiel_python("crazy_eights(players=4)")),
    Peer("rlcard", "UNO, 4 players", "Python", rlcard("uno", 4)),
    Peer("rlcard", "mahjong, 4 players", "Python", rlcard("mahjong")),
    Peer("catanatron", "Catan, 4 players", "Python", catanatron),
)


def measure(peer: Peer, seconds: float) -> dict[str, Any]:
    """Games and decisions a second of CPU time, or why the library cannot be had."""
    about = {"library": peer.library, "game": peer.game, "loop": peer.loop}
    try:
        version = importlib.metadata.version(peer.library)
        loop = peer.prepare()
        decisions = sum(loop.decisions(loop.play(number)) for number in range(SAMPLE)) / SAMPLE
    except Exception as error:  # a library may fail to load in any way; the table says which
        return {**about, "missing": f"{type(error).__name__}: {error}".splitlines()[0]}
    games = 0
    started = time.process_time()
    while (spent := time.process_time() - started) < seconds:
        loop.play(games)
        games += 1
    return {
        **about,
        "version": version,
        "games_per_second": games / spent,
        "decisions_per_second": decisions * games / spent,
        "decisions_per_game": decisions,
    }


def main() -> None:
    """Measure each peer for so many seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU time for each game [2]")
    seconds = parser.parse_args().seconds
    for peer in PEERS:
        print(json.dumps(measure(peer, seconds)), flush=True)


if __name__ == "__main__":
    main()
