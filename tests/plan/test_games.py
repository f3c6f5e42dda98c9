"""The shipped games play by the rules: each known position, and move by move as OpenSpiel plays them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from worldline.plan.games.catalogue import SHIPPED, load_game
from worldline.plan.games.connect_four import ConnectFour
from worldline.plan.games.game import CHANCE, OVER, GameState
from worldline.plan.games.kuhn import KuhnPoker
from worldline.plan.games.leduc import LeducPoker
from worldline.plan.games.nim import Nim
from worldline.plan.games.pig import Pig
from worldline.plan.games.tic_tac_toe import TicTacToe
from worldline.plan.play.openspiel import TWINS, compare_rules

pytestmark = pytest.mark.unit


def played(game: GameState, *moves: object) -> GameState:
    for move in moves:
        game = game.step(move)
    return game


def test_a_row_of_three_ends_it():
    state = played(TicTacToe(), 0, 3, 1, 4, 2)
    assert (state.player, state.moves(), state.returns()) == (OVER, [], (1.0, -1.0))


def test_four_in_a_line_end_it_and_no_line_runs_over_a_top():
    assert played(ConnectFour(), 0, 1, 0, 1, 0, 1, 0).returns() == (1.0, -1.0)
    # Three on top of column 0 and the lowest of column 1 are no line.
    assert played(ConnectFour(), 6, 0, 6, 0, 5, 0, 0, 5, 0, 6, 0, 5, 1).player == 1


def test_who_takes_the_last_one_loses():
    assert played(Nim((1, 1)), (0, 1), (1, 1)).returns() == (1.0, -1.0)


def test_a_one_loses_the_turn():
    state = played(Pig(), "roll", 6, "roll", 1)
    assert (state.player, state.scores, state.total) == (1, (0, 0), 0)
    assert sum(weight for _, weight in Pig(player=CHANCE).chances()) == 1


def test_a_player_of_poker_sees_no_card_but_the_own():
    one, other = played(KuhnPoker(), 0, 1, "bet"), played(KuhnPoker(), 0, 2, "bet")
    assert one.observation(0) == other.observation(0)
    assert one.observation(1) != other.observation(1)
    assert played(one, "bet").returns() == (-2.0, 2.0)


def test_a_pair_with_the_public_card_wins():
    state = played(LeducPoker(), 0, 4, "raise", "call", 1, "call", "call")
    assert (state.player, state.returns()) == (OVER, (3.0, -3.0))
    assert dict(LeducPoker().chances())[3] == Fraction(1, 6)


@pytest.mark.parametrize("name", TWINS)
def test_rules_are_openspiels_move_by_move(name):
    pytest.importorskip("pyspiel", reason="open_spiel is not installed (extra `games`): nothing to compare with")
    found = compare_rules(name, plays=60 if name == "pig" else 300, seed=1)
    assert found.differences == ()
    assert found.moves > 300


def test_every_shipped_game_but_the_small_nim_has_a_twin():
    assert set(SHIPPED) - set(TWINS) == set()
    assert load_game("small-nim") == Nim((1, 2, 3))


def test_a_rule_that_is_wrong_is_found(monkeypatch):
    pytest.importorskip("pyspiel", reason="open_spiel is not installed (extra `games`): nothing to compare with")
    monkeypatch.setattr(KuhnPoker, "returns", lambda self: (0.0, 0.0))
    found = compare_rules("kuhn", plays=5, seed=1)
    assert any("returns" in said for said in found.differences)
