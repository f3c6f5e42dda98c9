"""Executions that questions about one code base take, round by round: with a gate, and with a gate and learning.

    python studies/plan/curve.py FOLDER -o OUT [--rounds 4] [--questions 40] [--sure 0.8] [--steps 10] [--svg FILE]

A stream of questions (what does this call return?) is asked in rounds. What is imagined surely enough is not run; what
is run goes into a journal. After each round the gate is fitted on the journal anew, and where there is learning the
model is trained on it. Every score in a journal was made before its run was learned from, so the gate of a later model
stands on the scores of earlier ones: how often what was imagined is right is told beside. A study that was stopped goes
on: OUT has the predictions, the journals and the models.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from code_base import BARE, short_calls, taught

from worldline.core.program import Program
from worldline.core.stats import Share, wilson
from worldline.learning.adapt import save_adaptation
from worldline.learning.own_calls import OwnCall
from worldline.model import checkpoint
from worldline.model.engine.native import open_engine
from worldline.model.train.low_rank import AdaptationConfig
from worldline.plan.answer import IMAGINED, Budget, ProgramRunner
from worldline.plan.executed import read_executed_answer, sandboxed_world
from worldline.plan.gate import Gate, fit_gate
from worldline.plan.imagined import predict_answers
from worldline.plan.journal import read_journal
from worldline.plan.mixed import MixedOracle
from worldline.plan.question import Question
from worldline.predict.local import Local
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo
from worldline.storage import files
from worldline.ui.report.charts import Rates, svg
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.page import STYLE

WRITTEN = 1_024  # bytes that an answer may take: the documents are shorter
BACK = 6  # one run of so many is held back from learning and says when it is best
ANSWER = Question(what="return")
GATED, LEARNED = "gate", "gate and learning"
TITLE = "executions a question, by the questions asked before"


@dataclass(frozen=True)
class Round:
    """One round of an arm: questions, executions, and of what was not run how much is right."""

    arm: str
    number: int
    questions: int
    executions: int
    imagined_right: int
    model_right: int  # of all questions, had nothing been run


@dataclass(frozen=True)
class Stored:
    """A model whose predictions are kept: each is made once, whoever asks."""

    folder: Path
    path: Path
    name: str

    @property
    def info(self) -> ModelInfo:
        """The model, by its name."""
        return ModelInfo(name=self.name)

    @property
    def capabilities(self) -> Capabilities:
        """None: only predictions are stored."""
        return Capabilities()

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """What is known, and what is not yet, stored as it comes."""
        known = json.loads(self.path.read_bytes()) if self.path.exists() else {}
        missing = [ask for ask in asks if ask.program.digest not in known]
        if missing:
            shape, weights = checkpoint.read_weights(self.folder)
            local = Local(open_engine(shape, weights, threads=1), name=self.name)
            for number, (ask, found) in enumerate(zip(missing, local.predict(missing), strict=True), 1):
                known[ask.program.digest] = [found.text.decode("latin-1"), found.status, found.logprob]
                if number % 8 == 0 or number == len(missing):
                    files.write(self.path, json.dumps(known).encode())
        for ask in asks:
            text, status, logprob = known[ask.program.digest]
            yield Prediction(text=text.encode("latin-1"), status=status, logprob=logprob)


def gate_so_far(journal: Path, coming: Sequence[Program]) -> Gate | None:
    """The gate that a journal gives for questions that are not in it; None while it is too short."""
    new = {each.digest for each in coming}
    known = {each.program.digest: each.ledger for each in read_journal(journal)}
    entries = [one for digest, one in known.items() if digest not in new and one.score is not None]
    return fit_gate(entries)


def arm(
    name: str,
    rounds: Sequence[Sequence[OwnCall]],
    world: ProgramRunner,
    out: Path,
    *,
    sure: float,
    how: AdaptationConfig,
) -> list[Round]:
    """Every round of an arm, those that are stored read again."""
    place, model, done = out / name.replace(" ", "-"), checkpoint.SHIPPED, list[Round]()
    place.mkdir(exist_ok=True)
    for number, calls in enumerate(rounds):
        stored, learned = place / f"round-{number}.json", place / f"model-{number}"
        if not stored.exists():
            found = asked_round(name, number, calls, world, model, out, place / "journal", sure)
            files.write(stored, json.dumps(asdict(found)).encode())
        done.append(Round(**json.loads(stored.read_bytes())))
        print(json.dumps(asdict(done[-1])), flush=True)
        if name == LEARNED and number < len(rounds) - 1:
            if not learned.exists():
                learn(place / "journal", model, learned, how)
            model = learned
    return done


def asked_round(
    name: str, number: int, calls: Sequence[OwnCall], world: ProgramRunner, model: Path, out: Path, journal: Path,
    sure: float
) -> Round:  # fmt: skip
    """One round asked; what was run is in the journal then, once."""
    programs, digest = [each.program for each in calls], checkpoint.digest(model)[:12]
    asked = Stored(model, out / f"predictions-{digest}.json", digest)
    predictions = list(
        predict_answers(asked, programs, ANSWER, limit=WRITTEN)
    )  # all of them made, before anything is run
    budget = Budget(executions=len(programs), bytes=WRITTEN, sure=sure)
    oracle = MixedOracle(world, asked, gate_so_far(journal, programs), journal=journal)
    answers = oracle.ask_many(programs, ANSWER, budget)
    truths = [read_executed_answer(ANSWER, world(program)).value for program in programs]  # to judge by: in no journal
    right = [predicted.value == true for predicted, true in zip(predictions, truths, strict=True)]
    not_run = [answer.how == IMAGINED for answer in answers]
    both = sum(one and other for one, other in zip(not_run, right, strict=True))
    return Round(name, number, len(calls), sum(answer.spent.executions for answer in answers), both, sum(right))


def learn(journal: Path, model: Path, out: Path, how: AdaptationConfig) -> None:
    """A model trained further on what a journal has, and kept."""
    calls = [
        OwnCall(program=each.program, origin=each.program.name, key=each.program.digest, options=BARE)
        for each in read_journal(journal)
    ]
    shape, weights = checkpoint.read_weights(model)
    lessons = [call for number, call in enumerate(calls) if number % BACK]
    changes = taught(shape, weights, lessons, calls[::BACK], how=how)
    looks = [round(look.nats, 3) for look in changes.evaluations]
    print(f"{len(lessons)} runs learned, {changes.cpu_seconds:.0f} CPU-s, nats of one held back {looks}", flush=True)
    save_adaptation(out, model, shape, changes, {"cpu_seconds": round(changes.cpu_seconds, 1), "looks": looks})


def stored_rounds(name: str, out: Path) -> list[Round]:
    """The rounds of an arm that are done."""
    paths = sorted((out / name.replace(" ", "-")).glob("round-*.json"))
    return [Round(**json.loads(path.read_bytes())) for path in paths]


def told(rounds: Sequence[Round]) -> dict[str, Any]:
    """An arm as figures: executions a question by round with Wilson's interval, and how often imagining was right."""
    ran, n = sum(each.executions for each in rounds), sum(each.questions for each in rounds)
    right = sum(each.imagined_right for each in rounds)
    return {
        "arm": rounds[0].arm, "questions": n, "executions": ran,
        "by_round": [[each.executions, each.questions, *_interval(each.executions, each.questions)] for each in rounds],
        "imagined": n - ran, "imagined_right": right, "imagined_interval": _interval(right, n - ran),
        "model_right_by_round": [each.model_right for each in rounds],
    }  # fmt: skip


def _interval(some: int, n: int) -> list[float]:
    return [round(end, 3) for end in wilson(some, n)]


def drawn(arms: Sequence[Sequence[Round]]) -> str:
    """The curve as a file of its own."""
    longest = max(arms, key=len)
    names = [f"after {sum(each.questions for each in longest[:at]):,}" for at in range(len(longest))]
    every = [[Share(each.executions, each.questions) for each in one] for one in arms]
    every.append([Share(each.questions, each.questions) for each in longest])
    shares = [tuple(one[at] if at < len(one) else Share(0, 0) for one in every) for at in range(len(names))]
    series = (*(one[0].arm for one in arms), "always run")
    rows = tuple(zip(names, shares, strict=True))
    figure = svg(Rates("curve", TITLE, series, rows, is_scale=True, measure="run"))
    styles = f'<style>{ROW_STYLE}{STYLE}</style><rect width="100%" height="100%" fill="white"/>'
    head, _, rest = figure.partition("<title>")
    return head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ') + styles + "<title>" + rest + "\n"


def run_arms(asked: argparse.Namespace) -> list[list[Round]]:
    """Every arm, one after the other; what is stored is not done again."""
    torch.set_num_threads(1)
    asked.out.mkdir(parents=True, exist_ok=True)
    calls = short_calls(asked.folder, asked.out / "calls.json", longest=asked.longest, rounds=2, seed=asked.seed)
    rounds = [calls[at * asked.questions : (at + 1) * asked.questions] for at in range(asked.rounds)]
    how = AdaptationConfig(steps=asked.steps, evaluations=3, patience=3, warmup=4, seed=asked.seed)
    with sandboxed_world() as world:
        return [arm(name, rounds, world, asked.out, sure=asked.sure, how=how) for name in asked.arms]


def main() -> None:
    """A line a round, an object an arm, and the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--questions", type=int, default=40, help="of a round")
    parser.add_argument("--sure", type=float, default=0.8)
    parser.add_argument("--steps", type=int, default=10, help="of training behind a round, four documents each")
    parser.add_argument("--longest", type=int, default=800, help="bytes of a document")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--arms", nargs="+", choices=(LEARNED, GATED), default=[LEARNED, GATED])
    parser.add_argument("--stored", action="store_true", help="tell what is done so far, and ask nothing")
    parser.add_argument("--svg", type=Path, help="where the plot goes")
    asked = parser.parse_args()
    arms = [stored_rounds(name, asked.out) for name in asked.arms] if asked.stored else run_arms(asked)
    for each in arms:
        print(json.dumps(told(each)))
    if asked.svg is not None:
        asked.svg.write_text(drawn(arms), "utf-8")


if __name__ == "__main__":
    main()
