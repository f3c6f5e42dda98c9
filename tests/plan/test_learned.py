"""A game that is only seen: what is recorded of it hides its rules, and a player that learned it uses none."""

from __future__ import annotations

import pytest
from plain_predictor import PlainPredictor

from worldline.core.errors import UsageError
from worldline.plan.games.catalogue import load_game
from worldline.plan.games.nim import Nim
from worldline.plan.games.tic_tac_toe import TicTacToe
from worldline.plan.play.imagined_rules import LostState
from worldline.plan.play.learned import EXTRA_BYTES, LearnedPlayer, SeenState, SeenWorld, learn_world, limit_of, right
from worldline.plan.play.match import match
from worldline.plan.play.players import RandomPlayer
from worldline.plan.play.seen import (
    MAX_JUDGED,
    Moment,
    Transition,
    build_program,
    documents,
    observe,
    read_change,
    split_transitions,
    watch,
    write_change,
)
from worldline.plan.play.uct import search
from worldline.predict.prediction import Prediction, PredictionRequest


class Remembering(PlainPredictor):
    """A predictor that has seen everything and says it as the recorder would."""

    name = "remembering"

    def __init__(self, seen):
        self.texts = dict(documents(seen))

    def predict(self, asks):
        for ask in asks:
            yield Prediction(text=self.texts.get(ask.prompt, b"nothing"), status="ended")


def test_a_document_shows_what_came_of_a_move_and_not_why():
    seen = watch(Nim((1, 1)), plays=10, seed=0)
    for (prompt, steps), each in zip(documents(seen), seen, strict=True):
        assert prompt == PredictionRequest(program=build_program(each.before.text, each.move)).prompt
        assert b"heaps" not in prompt + steps
        assert write_change(each).encode() in steps
        assert write_change(each).encode() not in prompt


def test_change_is_written_and_read_back():
    seen = watch(load_game("tic-tac-toe"), plays=20, seed=0) + watch(load_game("nim"), plays=5, seed=0)
    assert all(read_change(write_change(each), each.before, 2) == each.after for each in seen)
    first = Transition(observe(TicTacToe()), 4, observe(TicTacToe().step(4)))
    assert write_change(first) == "({4: 'x', 10: '1'}, 1, (4,), ())"
    last = Transition(observe(Nim((1, 0))), (0, 1), observe(Nim((1, 0)).step((0, 1))))
    assert write_change(last) == "('0 0 won by 1', (-1.0, 1.0))"


def test_a_player_that_imagines_right_wins_without_a_rule():
    seen = watch(Nim((1, 2)), plays=60, seed=0)
    predictor = Remembering(seen)
    assert right(predictor, seen, 2).rate == 1.0
    player = LearnedPlayer(SeenWorld(predictor, 2), 80)
    found = match("nim", Nim((1, 2)), [player, RandomPlayer()], games=20, seed=1)
    assert found.standings[0].won.some >= 15


def test_unreadable_prediction_is_lost():
    world = SeenWorld(Remembering([]), 2)
    now = Moment("1 2 0", 0, ((0, 1), (1, 1)))
    assert SeenState(now, world).step((0, 1)) == LostState(2)
    for wrong in (
        "({0: '0'}, 5, (), ())", "__import__('os')", "({9: '0'}, 1, (), ())", "({0: '00'}, 1, (), ())", "(1, 2)",
        "({0: '0'}, 1, ((0, 1), (1, 1)), ())", "({0: '0'}, 1, (7,), ())", "('a', (1.0,))", "{}", "(" * 300,
        "({0: '0'}, 1, (), ([],))", "({'0': '0'}, 1, (), ())", "({-1: '0'}, 1, (), ())", "('a', ('b', 'c'))",
    ):  # fmt: skip
        assert read_change(wrong, now, 2) is None, wrong
    assert read_change("('0 0 won by 1', (-1.0, 1.0))", now, 2) == Moment("0 0 won by 1", -2, (), (-1.0, 1.0))
    assert read_change("({0: '0', 4: '1'}, 1, ((0, 1),), ((2, 1),))", now, 2) == Moment("0 2 1", 1, ((1, 1), (2, 1)))


def test_an_imagined_play_that_goes_in_circles_is_lost():
    here = Moment("1 2 0", 0, ((0, 1),))
    world = SeenWorld(Remembering([]), 2, memory={("1 2 0", (0, 1)): "({}, 0, (), ())"})
    tree = search(SeenState(here, world), simulations=3, seed=0)
    assert (tree.visits, tree.total) == (3, 0.0)


def test_chance_hidden_cards_and_too_little_are_refused():
    for name in ("pig", "kuhn"):
        with pytest.raises(UsageError, match="without chance"):
            watch(load_game(name), plays=1, seed=0)
    with pytest.raises(UsageError, match="too few"):
        split_transitions(watch(Nim((1, 1)), plays=3, seed=0), 10)


@pytest.mark.long(reason="trains a model")
def test_model_is_fitted_to_observed_moves():
    told = []
    found = learn_world(
        Nim((1, 1, 1)), steps=2, plays=20, seed=0, progress=lambda share, text: told.append((share, text))
    )
    n = found.before.n
    assert told[:n] == [(0.0, f"{i} of {n} predicted before training") for i in range(1, n + 1)]
    assert told[-n:] == [(1.0, f"{i} of {n} predicted after training") for i in range(1, n + 1)]
    assert len(told) > 2 * n
    assert found.steps == 2
    assert found.before.n == found.after.n > 0
    assert found.as_json()["lessons"] == found.lessons > 0


def test_no_more_is_judged_than_takes_a_minute():
    taught, back, judged = split_transitions(watch(load_game("connect-four"), plays=40, seed=0), 64)
    assert (len(taught), len(back), len(judged)) == (64, 8, MAX_JUDGED)


def test_prediction_is_cut_after_the_longest_observed_text():
    asked_for = []

    class Listening(Remembering):
        def predict(self, asks):
            asked_for.extend(ask.limit for ask in asks)
            return super().predict(asks)

    seen = watch(Nim((1, 2)), plays=20, seed=0)
    right(Listening(seen), seen, 2, limit=limit_of(documents(seen)))
    assert set(asked_for) == {max(len(steps) for _, steps in documents(seen)) + EXTRA_BYTES}
