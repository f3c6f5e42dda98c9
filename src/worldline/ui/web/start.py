"""Opens runs and programs on the page, or writes them as a bundle. The server is imported when it starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from worldline.codec.tokens import Tokenizer
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.data import vocabularies
from worldline.diagnose.debug import Debugged
from worldline.evaluation.revisions import RevisionComparison
from worldline.evaluation.run.stored import local
from worldline.predict.models import DEFAULT, load_model
from worldline.predict.predictor import Predictor
from worldline.ui.session.quiz.choose import DEFAULT_QUESTIONS
from worldline.ui.session.quiz.quiz import QuizOptions
from worldline.ui.session.session import Session
from worldline.ui.web.bundle.bundle import DEFAULT_SAMPLES, Bundle, bundle, open_quizzes, open_sessions
from worldline.ui.web.service import Opening

AUTO = "auto"
"""The model of `view` by default: the shipped one for runs, none for programs."""


def view(
    runs: Sequence[str | Path] = (),
    programs: Sequence[Program] = (),
    *,
    model: str | None = AUTO,
    extras: Mapping[str, str] | None = None,
    scratchpad: str | None = None,
    tokenizer: str | None = None,
    limits: Limits | None = None,
    seed: int | None = None,
    quiz: bool = False,
    questions: int = DEFAULT_QUESTIONS,
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str | None = None,
    open_browser: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Show runs, or what programs do, on a page, until Ctrl-C.

    Args:
        runs: Folders or URLs of runs of `bench` or `score`; several are compared.
        programs: Programs to record and show step by step.
        model: The name of the model that predicts programs and continues after interventions; None for no model.
            By default the shipped model, or none if there are programs.
        extras: Options of the model.
        scratchpad: The simpler form in which the model predicts programs: none, flatten, chars or auto. By default
            auto wherever it applies, as in `debug`.
        tokenizer: Counts the tokens; llama3 by default, if it is installed.
        limits: Limits of one execution.
        seed: The seed of the random numbers of programs.
        quiz: Ask about the programs instead of showing them: a person predicts the next state.
        questions: The maximum number of questions of a quiz.
        host: Address to listen on. Any address but the loopback needs a token.
        port: Port to listen on, or the next free one; 0 for any.
        token: The token a browser must send; random by default.
        open_browser: Open the page in the browser.
        say: Called with the address when the server is ready.

    Raises:
        UsageError: The extra `view` is missing, or a program cannot be recorded.
    """
    quiz_options = QuizOptions(questions=questions, seed=seed or 0) if quiz else None
    opening = _opening(runs, programs, model, extras, scratchpad, tokenizer, limits, seed, quiz_options)
    _serve(opening, host=host, port=port, token=token, open_browser=open_browser, say=say)


def write_bundle(
    out: str | Path,
    runs: Sequence[str | Path] = (),
    programs: Sequence[Program] = (),
    *,
    model: str | None = AUTO,
    extras: Mapping[str, str] | None = None,
    scratchpad: str | None = None,
    tokenizer: str | None = None,
    limits: Limits | None = None,
    seed: int | None = None,
    quiz: bool = False,
    questions: int = DEFAULT_QUESTIONS,
    max_samples: int = DEFAULT_SAMPLES,
) -> Bundle:
    """Write the page of `view` as a folder or one file that needs no server.

    Args:
        out: A folder, or a file that ends in `.html`.
        runs: Folders or URLs of runs of `bench` or `score`.
        programs: Programs to record and show step by step.
        model: The name of the model that predicts the programs; by default none.
        extras: Options of the model.
        scratchpad: The simpler form in which the model predicts programs: none, flatten, chars or auto. By default
            auto wherever it applies, as in `debug`.
        tokenizer: Counts the tokens; llama3 by default, if it is installed.
        limits: Limits of one execution.
        seed: The seed of the random numbers of programs.
        quiz: Ask about the programs instead of showing them. The file then holds the answers.
        questions: The maximum number of questions of a quiz.
        max_samples: Maximum number of samples per run that include their steps, failures first.

    Returns:
        What was written, and what of a run could not be read.

    Raises:
        UsageError: `out` exists, or a program cannot be recorded.
    """
    quiz_options = QuizOptions(questions=questions, seed=seed or 0) if quiz else None
    opening = _opening(runs, programs, model, extras, scratchpad, tokenizer, limits, seed, quiz_options)
    return bundle(open_sessions(opening), Path(out), limit=max_samples, quizzes=open_quizzes(opening))


def view_debugged(result: Debugged, predictor: Predictor, *, say: Callable[[str], None] = print) -> None:
    """Show the result of `debug` on a page, until Ctrl-C.

    Args:
        result: What `debug` returned.
        predictor: The model that continues after an intervention.
        say: Called with the address when the server is ready.

    Raises:
        UsageError: The extra `view` is missing.
    """
    sample = result.sample
    session = Session.of_sample(
        sample,
        name=sample.ask.program.name,
        model=result.model,
        confidences=result.confidences,
        wrong=result.branch,
        tokenizer=_tokenizer(None),
    )
    _serve(Opening(sessions=(session,), models={result.model: lambda: predictor}), say=say)


def view_recorded(session: Session, *, say: Callable[[str], None] = print) -> None:
    """Show a recorded run on a page, until Ctrl-C. Nothing in it can be changed.

    Args:
        session: The result of `Session.of_trace`.
        say: Called with the address when the server is ready.

    Raises:
        UsageError: The extra `view` is missing.
    """
    _serve(Opening(sessions=(session,)), say=say)


def view_revisions(*comparisons: RevisionComparison, say: Callable[[str], None] = print) -> None:
    """Show the tests that differ between two revisions on a page, until Ctrl-C. Nothing in it can be changed.

    Each test is shown as two recorded runs, before and after the change, which start at the first divergence.

    Args:
        comparisons: What `compare_revisions` returned, or the comparisons of a `TraceCheck`.
        say: Called with the address when the server is ready.

    Raises:
        UsageError: The extra `view` is missing, or no test differs.
    """
    sessions = tuple(session for comparison in comparisons for session in revision_sessions(comparison))
    if not sessions:
        raise UsageError("no test behaves differently on the two revisions: there is nothing to view")
    _serve(Opening(sessions=sessions), say=say)


def revision_sessions(comparison: RevisionComparison) -> Iterator[Session]:
    """Yield the sessions of both traces of each test that differs, before and after."""
    for compared in comparison.diverging:
        first = None if compared.diff is None else compared.diff.first
        places = (None, None) if first is None else (first.before, first.after)
        for side, trace, place in zip(("before", "after"), (compared.before, compared.after), places, strict=True):
            if trace is not None and len(trace):
                name = f"{side}: {compared.test.id}"
                yield Session.of_trace(trace, name=name, at=None if place is None else place.step)


def _opening(
    runs: Sequence[str | Path],
    programs: Sequence[Program],
    model: str | None,
    extras: Mapping[str, str] | None,
    scratchpad: str | None,
    tokenizer: str | None,
    limits: Limits | None,
    seed: int | None,
    quiz: QuizOptions | None,
) -> Opening:
    if model == AUTO:
        model = None if programs else DEFAULT
    return Opening(
        runs=tuple(map(local, runs)),
        programs=tuple(programs),
        models={} if model is None else {model: cache(partial(load_model, model, extras))},
        scratchpad=scratchpad,
        tokenizer=_tokenizer(tokenizer),
        limits=limits,
        control=None if seed is None else Control(seed=seed),
        quiz=quiz,
    )


def _tokenizer(name: str | None) -> Tokenizer | None:
    """Return the named tokenizer, or llama3 if it is installed."""
    return vocabularies.load(name or "llama3") if name or vocabularies.llama3_path() else None


def _serve(opening: Opening, **options: Any) -> None:
    try:
        from worldline.ui.web.server import serve
    except ImportError as error:
        raise UsageError(f"the page needs the extra `view`: pip install 'worldline[view]' ({error})") from None
    serve(opening, **options)
