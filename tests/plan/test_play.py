"""Search is a pure function with golden trees; players see only what they may; matches count what the rules say."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from plain_predictor import PlainPredictor

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.futures.futures import sandboxed_program
from worldline.plan.futures.walk import Walk
from worldline.plan.games.catalogue import load_game
from worldline.plan.games.game import OVER
from worldline.plan.games.kuhn import KuhnPoker
from worldline.plan.games.nim import Nim
from worldline.plan.games.tic_tac_toe import TicTacToe
from worldline.plan.journal import read_journal
from worldline.plan.ledger import LedgerEntry
from worldline.plan.play import beliefs
from worldline.plan.play.estimate import MatchEstimate, estimate_match
from worldline.plan.play.game_source import call_of, source_of
from worldline.plan.play.imagined_rules import ImaginedRules, LostState, read_state
from worldline.plan.play.information_sets import search_situations
from worldline.plan.play.match import match, play
from worldline.plan.play.players import RandomPlayer, SearchPlayer, make_player
from worldline.plan.play.playing import as_search_tree
from worldline.plan.play.uct import most_visited_move, search
from worldline.predict.predictor import WatchedPredictor

GOLDEN = Path(__file__).parent / "golden_trees.json"
ROOTS = {
    "tic-tac-toe": TicTacToe("xox.o....", 0),
    "nim": Nim((1, 2, 3)),
    "pig": load_game("pig"),
    "connect-four": load_game("connect-four"),
}


def flat(tree):
    return [[node.parent, node.label, node.visits, node.value] for node in as_search_tree(tree, "").nodes]


def hand(card: int, *texts: str) -> beliefs.WeightedStates:
    """What the first player of Kuhn poker believes with this card."""
    state = beliefs.initial_belief(KuhnPoker())
    for seen in (f"{card} 1 ", f"{card} 2 ", *texts):
        state = beliefs.update_belief(state, 0, seen)
    return state


def test_trees_are_the_golden_ones_to_the_last_digit():
    found = {name: flat(search(root, simulations=200, seed=7)) for name, root in ROOTS.items()}
    found["kuhn"] = flat(search_situations(hand(1), simulations=200, seed=7))
    assert json.loads(json.dumps(found)) == json.loads(GOLDEN.read_text())


def test_the_winning_move_is_found_and_the_losing_one_avoided():
    assert most_visited_move(search(TicTacToe("xx.oo....", 0), simulations=400, seed=0)) == 2
    assert most_visited_move(search(TicTacToe("x..oo...x", 0), simulations=800, seed=0)) == 5
    assert most_visited_move(search(Nim((0, 2, 1)), simulations=400, seed=0)) == (1, 2)


def test_the_world_enters_as_one_callable():
    asked = []

    def world(state, move):
        asked.append((state, move))
        return state.step(move)

    tree = search(Nim((1, 2)), simulations=30, seed=3, step=world)
    assert flat(tree) == flat(search(Nim((1, 2)), simulations=30, seed=3))
    assert asked


def test_a_belief_is_the_exact_distribution_over_what_is_hidden():
    found = hand(1)
    assert found == {KuhnPoker((1, 0)): Fraction(1, 2), KuhnPoker((1, 2)): Fraction(1, 2)}
    assert beliefs.as_distribution(found).is_exact
    with pytest.raises(UsageError, match="no state of this game"):
        hand(1, "2 2 p")


def test_a_search_does_not_see_the_other_card():
    choices = []
    for other in (0, 2):
        player = SearchPlayer(100)
        player.begin(KuhnPoker(), 0, 5)
        for seen, move in (("1 1 ", 1), ("1 2 ", other)):
            player.see(seen, move)
        choices.append((player.choose(["pass", "bet"]), flat(player.tree)))
    assert choices[0] == choices[1]


def test_with_the_best_card_a_bet_is_met_and_with_the_worst_it_is_not():
    for card, move in ((2, "bet"), (0, "pass")):
        player = SearchPlayer(600)
        player.begin(KuhnPoker(), 1, 1)
        for seen in ("? 1 ", f"{card} 2 ", f"{card} 2 b"):
            player.see(seen, None)
        assert player.choose(["pass", "bet"]) == move


def test_a_match_takes_turns_and_is_the_same_again():
    def one():
        return match("tic-tac-toe", TicTacToe(), [SearchPlayer(60), RandomPlayer()], games=12, seed=4)

    first = one()
    assert first == one()
    assert first.standings[0].won.some >= 8
    assert sum(each.won.some for each in first.standings) + first.standings[0].drawn == 12
    assert first.as_json()["players"][0]["won"]["n"] == 12


def test_bad_players_and_bad_games_get_one_sentence(tmp_path):
    with pytest.raises(UsageError, match="is not a player"):
        make_player("nobody", "nim", simulations=10)
    with pytest.raises(UsageError, match="for 2 players, not 1"):
        match("nim", Nim(), [RandomPlayer()], games=1)
    with pytest.raises(UsageError, match="is not a game"):
        load_game("chess")
    (tmp_path / "own.py").write_text(
        "class Half:\n    player = 0\n    players = 2\n    def moves(self):\n        return [1]\n"
    )
    with pytest.raises(UsageError, match="has no chances, step, returns, observation"):
        load_game(f"{tmp_path}/own.py:Half")
    (tmp_path / "bad.py").write_text("class Bad:\n    def __init__(self):\n        1 / 0\n")
    with pytest.raises(UsageError, match=r"ZeroDivisionError at bad.py:3"):
        load_game(f"{tmp_path}/bad.py:Bad")


def test_openspiels_bots_play_every_game():
    pytest.importorskip("pyspiel", reason="open_spiel is not installed (extra `games`)")
    for name in ("tic-tac-toe", "small-nim", "kuhn", "leduc"):
        players = [make_player(each, name, simulations=20) for each in ("openspiel-mcts", "openspiel-random")]
        assert play(load_game(name), players, seed=1).returns


def test_openspiel_exploration_can_be_set():
    """A bot that explores without bounds visits all moves alike: it plays otherwise than one that explores little."""
    pytest.importorskip("pyspiel", reason="open_spiel is not installed (extra `games`)")

    def plays(**how):
        bot = make_player("openspiel-mcts", "connect-four", simulations=60, **how)
        return [play(load_game("connect-four"), [RandomPlayer(), bot], seed=seed) for seed in range(3)]

    assert plays(openspiel_exploration=0.1) != plays(openspiel_exploration=1e6)
    assert plays() == plays(openspiel_exploration=2.0)


class Knowing(PlainPredictor):
    """A predictor that runs the program: what a perfect imagination would say."""

    name = "knowing"

    def __init__(self, spoil=()):
        self.asks, self.spoil = 0, spoil

    def predict(self, asks):
        from worldline.predict.models import load_model

        for ask, found in zip(asks, load_model("interpreter").predict(asks), strict=True):
            self.asks += 1
            yield (
                replace(found, text=b"nonsense", logprob=-9.0)
                if ask.program.call in self.spoil
                else replace(found, logprob=-0.01)
            )


def test_a_search_in_a_perfect_imagination_is_the_search_over_the_rules():
    root = Nim((1, 2))
    world = ImaginedRules(source_of(root), Knowing())
    assert flat(search(root, simulations=20, seed=1, step=world)) == flat(search(root, simulations=20, seed=1))
    assert (world.right().rate, world.ran) == (1.0, 0)


def test_each_predicted_step_is_reported():
    told = []
    world = ImaginedRules(source_of(Nim((1, 2))), WatchedPredictor(Knowing(), lambda: told.append(1)))
    world(Nim((1, 2)), (0, 1))
    assert (len(told), world.imagined, world.model) == (3, 3, "knowing")


def test_the_time_of_a_match_is_estimated_before_it():
    start = Nim((1, 2))
    world = ImaginedRules(source_of(start), Knowing())
    estimate = estimate_match(world, start, simulations=20, games=3)
    search(start, simulations=2_000, seed=1, step=world)
    assert (world.imagined, estimate.steps) == (estimate.steps, estimate.steps)
    assert estimate.seconds_per_step > 0
    short = MatchEstimate(steps=30, seconds_per_step=0.5).describe()
    assert short == "predicts 30 steps at most, 0.5 s each: up to 15 s"
    long = MatchEstimate(steps=100_000, seconds_per_step=0.5).describe()
    assert long.startswith("predicts 100,000 steps at most, 0.5 s each: up to 14 hours. For a shorter match")


def test_a_game_with_many_states_is_estimated_from_random_games():
    class Instant(ImaginedRules):
        def prepare(self, state):
            self.imagined += 1

    start = load_game("connect-four")
    few = estimate_match(Instant(source_of(start), Knowing()), start, simulations=10, games=1)
    many = estimate_match(Instant(source_of(start), Knowing()), start, simulations=20, games=3)
    assert few.steps > 1_000
    assert many.steps == pytest.approx(6 * few.steps, rel=0.01)


@pytest.mark.parametrize(("heaps", "player", "is_lost"), [
    ((1, 2), 1, False), ((1, 2), 5, True), ((1, 2), -1, True), ((0, 0), 0, True), ((0, 0), -2, False),
])  # fmt: skip
def test_a_predicted_state_without_a_next_move_is_lost(heaps, player, is_lost):
    state = read_state(f"Nim#1(heaps={heaps}, player={player}, winner=-1)", Nim((1, 2)))
    assert state == (LostState(2) if is_lost else Nim(heaps, player))


def test_unreadable_prediction_is_lost_or_executed_by_mixed():
    root = Nim((1, 2))
    spoil = (call_of(root, (0, 1)),)
    alone = ImaginedRules(source_of(root), Knowing(spoil))
    assert alone(root, (0, 1)) == LostState(2)
    assert alone(root, (1, 1)) == root.step((1, 1))
    mixed = ImaginedRules(source_of(root), Knowing(spoil), sure=0.9)
    mixed.ledger += known(40)
    assert mixed(root, (0, 1)) == root.step((0, 1))
    assert (mixed.ran, mixed.imagined, mixed.right().n) == (1, 3, 2)


def known(n, *, right=True, score=-0.02, model="knowing"):
    """Runs that are in a ledger."""
    return [
        LedgerEntry(
            digest=str(i), question="return", why="", imagined="1", true="1" if right else "2", score=score, model=model
        )
        for i in range(n)
    ]


@pytest.mark.parametrize("entries", [[], known(29), known(40, right=False), known(40, model="another")])
def test_the_mixed_player_runs_all_that_no_gate_vouches_for(entries):
    """The model is quite sure of itself, which counts for nothing before 30 runs say that it is right to be."""
    root = Nim((1, 2))
    mixed = ImaginedRules(source_of(root), Knowing(), sure=0.9)
    mixed.ledger += entries
    mixed(root, (0, 1))
    assert (mixed.ran, mixed.imagined) == (3, 3)
    assert [one.is_right for one in mixed.ledger[len(entries) :]] == [True] * 3


def test_mixed_player_stores_executed_steps_and_fits_its_gate(tmp_path):
    first = load_game("nim")
    calls = [call_of(first, move) for move in first.moves()]
    one = ImaginedRules(source_of(first), Knowing(calls[:1]), sure=0.8, journal=tmp_path)
    one(first, (0, 1))
    kept = read_journal(tmp_path)
    assert [each.program.call for each in kept] == calls
    assert [each.ledger.is_right for each in kept] == [False] + [True] * (len(calls) - 1)
    assert {str(each.question) for each in kept} == {"return"}
    state = first
    while one.ran < 30:
        state = state.step(state.moves()[0])
        one(state, state.moves()[0])
    again = ImaginedRules(source_of(first), Knowing(), sure=0.8, journal=tmp_path)
    last = Nim((1, 1, 1, 1))
    assert again(last, (0, 1)) == last.step((0, 1))
    assert (again.ran, again.imagined) == (0, 4)


def test_a_game_of_no_plain_values_cannot_be_imagined():
    with pytest.raises(UsageError, match="cannot be predicted"):
        source_of(object())


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "nim", "pig", "kuhn", "leduc"])
def test_reduced_game_source_still_plays(name):
    start = load_game(name)
    space: dict = {}
    exec(source_of(start), space)
    state = start
    while state.player != OVER:
        move = [*state.moves(), *(fall for fall, _ in state.chances())][-1]
        after = state.step(move)
        assert read_state(repr(eval(call_of(state, move), space)).replace("(", "#1(", 1), start) == after
        state = after


def test_the_verb_plays_a_users_own_game_and_says_what_is_wrong_with_it(tmp_path, capsys):
    from worldline.cli import main

    (tmp_path / "own.py").write_text(OWN)
    page = tmp_path / "tree.html"
    assert main(["plan", "play", f"{tmp_path}/own.py:Race", "--games", "4", "--json", "--html", str(page)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["players"][0]["won"]["n"] == 4
    assert "mean return of the player who chose" in page.read_text()
    assert main(["plan", "play", f"{tmp_path}/own.py:Stuck", "--games", "1"]) == 2
    assert "leaves player" in capsys.readouterr().err


OWN = '''
from dataclasses import dataclass


@dataclass(frozen=True)
class Race:
    """Count to five; who says it wins."""
    count: int = 0
    player: int = 0
    winner: int = -1
    players = 2

    def moves(self):
        return [1, 2] if self.player >= 0 else []

    def chances(self):
        return []

    def step(self, move):
        count = self.count + move
        return type(self)(count, -2, self.player) if count >= 5 else type(self)(count, 1 - self.player)

    def returns(self):
        return [0, 0] if self.winner < 0 else [1 if self.winner == p else -1 for p in (0, 1)]

    def observation(self, player):
        return f"{self.count} {self.player}"


class Stuck(Race):
    def moves(self):
        return [1] if self.count < 2 else []
'''


DEAL = """
import random

def deal():
    cards = [0, 1, 2]
    own = random.choice(cards)
    cards.remove(own)
    return own, random.choice(cards)
"""


def test_a_belief_is_what_futures_walks_of_a_program_that_deals_the_same_cards():
    program = Program(source=DEAL, call="deal()")
    with sandboxed_program(program) as world:
        walk = Walk(world)
        futures = [(future.trace.outcome.detail, future.weight) for future in walk]
    assert walk.left == 0
    fitting = {deal: weight for deal, weight in futures if deal.startswith("(1,")}
    known = {repr(state.cards): weight for state, weight in hand(1).items()}
    assert {deal: weight / sum(fitting.values()) for deal, weight in fitting.items()} == known


def test_a_game_that_exits_or_fails_while_it_is_watched_gets_one_sentence(tmp_path, capsys):
    from worldline.cli import main

    file = tmp_path / "own.py"
    file.write_text(
        "from worldline.plan.games.nim import Nim\n"
        "class Exits(Nim):\n    def step(self, move): raise SystemExit(3)\n"
        "class Fails(Nim):\n    def step(self, move): raise KeyError('no')\n"
    )
    assert main(["plan", "play", f"{file}:Exits", "--games", "1", "--simulations", "2"]) == 2
    assert "failed: SystemExit at own.py:3: 3" in capsys.readouterr().err
    assert main(["plan", "play", f"{file}:Fails", "--learned", "--train-steps", "1", "--games", "1"]) == 2
    assert "failed: KeyError at own.py:5: 'no'" in capsys.readouterr().err


def test_fault_of_a_game_names_the_users_line(tmp_path, capsys):
    from worldline.cli import main

    file = tmp_path / "own.py"
    file.write_text(
        "from worldline.plan.games.nim import Nim\n"
        "class Lost(Nim):\n    def step(self, move): return None\n"
        "class Counted(Nim):\n    def moves(self): return 5\n"
        "class One(Nim):\n    def returns(self): return 5\n"
        "class Mute(Nim):\n    def observation(self, player): return [1]\n"
        "class Asks(Nim):\n    def __init__(self, n): pass\n"
    )
    for name, said in (
        ("Lost", "`step` returns NoneType, which is not a state: it has no moves, "),
        ("Counted", "`moves` returns int, not a list (own.py:5)"),
        ("One", "`returns` returns int, not one number for each of 2 players (own.py:7)"),
        ("Mute", "`observation` returns list, not text (own.py:9)"),
        ("Asks", "failed: TypeError: Asks.__init__() missing 1 required positional argument: 'n'"),
    ):
        assert main(["plan", "play", f"{file}:{name}", "--games", "1", "--simulations", "2"]) == 2
        told = capsys.readouterr().err
        assert said in told
        assert ".py:" not in told.replace("own.py:", "")
