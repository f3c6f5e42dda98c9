"""Games: rules against OpenSpiel's, win rates against its MCTS at equal simulations and against random, nodes a second.

`python studies/plan/games.py [--rules 10000] [--n 100] [--simulations 200] [--seed 1] [--only rules,matches,speed]
[--games A,B] [--theirs 2.0] [--against A,B]`

`--only learned --games small-nim`: a world model fitted to random plays, and search in it. Each line is one JSON
object; tables come last. `--only` and `--games` do a part: what takes long is resumed by parts.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from worldline.plan.games.catalogue import load_game
from worldline.plan.games.game import CHANCE, GameState
from worldline.plan.play.beliefs import initial_belief, update_belief
from worldline.plan.play.information_sets import search_situations
from worldline.plan.play.learned import LearnedPlayer, SeenWorld, learn_world
from worldline.plan.play.match import match
from worldline.plan.play.openspiel import TWINS, TwinGame, compare_rules, pyspiel, twin_of
from worldline.plan.play.players import OPENSPIEL_EXPLORATION, RandomPlayer, make_player
from worldline.plan.play.uct import search

Row = dict[str, Any]
PIG = 10  # a play of pig takes hundreds of moves: it is searched with a tenth of the simulations


def timed(act: Callable[[], Any]) -> tuple[Any, float]:
    """What an act gives, and its CPU seconds."""
    begun = time.process_time()
    found = act()
    return found, time.process_time() - begun


def rules(name: str, plays: int, seed: int) -> Row:
    """The rules beside OpenSpiel's, over random plays."""
    found, cpu = timed(lambda: compare_rules(name, plays=plays, seed=seed))
    return {
        "what": "rules", "game": name, "plays": plays, "moves": found.moves, "situations": found.situations,
        "differences": len(found.differences), "told": list(found.differences), "cpu": round(cpu, 1),
    }  # fmt: skip


def versus(name: str, other: str, n: int, simulations: int, seed: int, openspiel_exploration: float) -> Row:
    """Our search against another player, whose exploration is `openspiel_exploration` where it is OpenSpiel's."""
    simulations = simulations // PIG if name == "pig" else simulations
    players = [
        make_player(each, name, simulations=simulations, openspiel_exploration=openspiel_exploration)
        for each in ("search", other)
    ]
    found, cpu = timed(lambda: match(name, load_game(name), players, games=n, seed=seed))
    ours, opponent = found.standings
    return {
        "what": "match", "game": name, "against": other, "theirs": openspiel_exploration,
        "simulations": simulations, "n": n,
        "won": ours.won.some, "drawn": ours.drawn, "lost": opponent.won.some,
        "interval": [round(each, 3) for each in ours.won.interval],
        "mean_return": round(ours.mean, 3), "cpu": round(cpu, 1),
    }  # fmt: skip


def speed(name: str, simulations: int, seed: int) -> Row:
    """Simulations a CPU second from the first decision: ours, OpenSpiel's in Python and in C++."""
    simulations = simulations // PIG if name == "pig" else simulations
    start, twin = load_game(name), twin_of(name)
    state, other = _dealt(start, twin)
    _, ours = timed(lambda: _searched(start, state, simulations, seed))
    found: Row = {"what": "speed", "game": name, "simulations": simulations, "ours": round(simulations / ours)}
    for label, bot in (("openspiel python", _python_bot), ("openspiel c++", _native_bot)):
        made = bot(twin, simulations, seed)
        _, cpu = timed(partial(made.step, other))
        found[label] = round(simulations / cpu)
    return found


def learned(name: str, n: int, simulations: int, steps: int, seed: int) -> Row:
    """A world model fitted to random plays: steps imagined right before and after, and search in it against random."""
    start = load_game(name)
    world, cpu = timed(lambda: learn_world(start, steps=steps, seed=seed))
    player = LearnedPlayer(SeenWorld(world.predictor, start.players), simulations)
    found, more = timed(lambda: match(name, start, [player, RandomPlayer()], games=n, seed=seed))
    ours = found.standings[0]
    return {
        "what": "learned", "game": name, "lessons": world.lessons, "steps": world.steps, "judged": world.after.n,
        "right before": world.before.some, "right after": world.after.some, "simulations": simulations, "n": n,
        "won": ours.won.some, "drawn": ours.drawn, "interval": [round(each, 3) for each in ours.won.interval],
        "steps imagined": len(player.world.memory), "cpu training": round(world.cpu_seconds, 1),
        "cpu": round(cpu + more, 1),
    }  # fmt: skip


def _dealt(start: GameState, twin: TwinGame) -> tuple[GameState, Any]:
    """Both where the first player decides."""
    state, other = start, twin.start()
    while state.player == CHANCE:
        move = state.chances()[0][0]
        state = state.step(move)
        other.apply_action(twin.action(move))
    return state, other


def _searched(start: GameState, state: GameState, simulations: int, seed: int) -> Any:
    if state == start:
        return search(state, simulations=simulations, seed=seed)
    belief, at = initial_belief(start), start
    while at.player == CHANCE:
        at = at.step(at.chances()[0][0])
        belief = update_belief(belief, 0, at.observation(0))
    return search_situations(belief, simulations=simulations, seed=seed)


def _python_bot(twin: TwinGame, simulations: int, seed: int) -> Any:
    import numpy as np
    from open_spiel.python.algorithms import ismcts, mcts

    random = np.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    if twin.hidden:
        stakes = OPENSPIEL_EXPLORATION * twin.game().max_utility()
        return ismcts.ISMCTSBot(
            game=twin.game(), evaluator=evaluator, uct_c=stakes, max_simulations=simulations, random_state=random
        )
    return mcts.MCTSBot(twin.game(), OPENSPIEL_EXPLORATION, simulations, evaluator, solve=False, random_state=random)


def _native_bot(twin: TwinGame, simulations: int, seed: int) -> Any:
    spiel = pyspiel()
    evaluator = spiel.RandomRolloutEvaluator(1, seed)
    if twin.hidden:
        most = spiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        stakes = OPENSPIEL_EXPLORATION * twin.game().max_utility()
        return spiel.ISMCTSBot(seed, evaluator, stakes, simulations, -1, most, False, False)
    return spiel.MCTSBot(twin.game(), evaluator, OPENSPIEL_EXPLORATION, simulations, 1_000, False, seed, False)


def print_table(rows: list[Row]) -> None:
    """The rows of one kind, as Markdown."""
    heads = [head for head in rows[0] if head not in ("what", "told")]
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(str(row[head]) for head in heads)} |")


def main() -> None:
    """Everything, or the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=int, default=10_000)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--steps", type=int, default=150, help="of the training, --only learned")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--theirs", type=float, default=OPENSPIEL_EXPLORATION, help="the exploration of OpenSpiel's search"
    )
    parser.add_argument("--against", default="random,openspiel-mcts", help="--only matches: whom")
    parser.add_argument("--only", default="rules,matches,speed")
    parser.add_argument("--games", default=",".join(TWINS))
    asked = parser.parse_args()
    names, parts = asked.games.split(","), asked.only.split(",")
    acts: list[Callable[[], Row]] = []
    for name in names:
        if "rules" in parts:
            acts.append(partial(rules, name, asked.rules, asked.seed))
        others = asked.against.split(",") if "matches" in parts else ()
        acts += [
            partial(versus, name, other, asked.n, asked.simulations, asked.seed, asked.openspiel_exploration)
            for other in others
        ]
        if "learned" in parts:
            acts.append(partial(learned, name, asked.n, asked.simulations, asked.steps, asked.seed))
        if "speed" in parts:
            acts.append(partial(speed, name, 10 * asked.simulations, asked.seed))
    rows = []
    for act in acts:
        rows.append(act())
        print(json.dumps(rows[-1]), flush=True)
    for what in ("rules", "match", "speed", "learned"):
        if some := [row for row in rows if row["what"] == what]:
            print_table(some)


if __name__ == "__main__":
    main()
