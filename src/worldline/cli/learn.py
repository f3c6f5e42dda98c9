"""The command `learn`: measure a model on drills, or adapt it to your own code."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from worldline.cli import options as opt
from worldline.cli.shell.completers import MODEL_PREFIXES
from worldline.core.errors import UsageError, WorldlineError


@click.command()
@opt.option("--model", metavar="DIR", note="only a folder", default_text="the shipped model")
@opt.option("--recipe", default="shipped", metavar="NAME", note="its programs are the drills")
@opt.option("--recipe-function", default="data", metavar="NAME")
@opt.add_option("--drills", type=opt.POSITIVE, help="Number of drills", default_text="300")
@opt.option("--seconds", type=opt.SECONDS, note="instead of --drills")
@opt.option("--seed", type=int, default=0, note="for the drills")
@opt.add_option("--start", metavar="FILE", help="Curriculum to continue")
@opt.option(
    "--out",
    metavar="PATH",
    note="the curriculum, for `train --curriculum`, or with --on and --journal the adapted model or the memory",
)
@opt.add_option("--on", metavar="FOLDER", help="Adapt the model to the code in a folder instead")
@opt.add_option(
    "--retrieve", is_flag=True, help="With --on and --journal, do not train: record a memory for `-M memory=FILE`"
)
@opt.option("--journal", metavar="DIR", note="adapt the model to what `ask --journal` executed")
@opt.option(
    "--minutes",
    type=opt.SECONDS,
    metavar="N",
    note="of the whole command with --on and --journal: recording, training and both evaluations; at least 1",
    default_text="5",
)
@opt.option("--train-steps", type=opt.POSITIVE, note="with --on and --journal, instead of --minutes")
@partial(opt.limit_options, steps=False)
@partial(opt.trust_option, is_passed=True)
@opt.json_option
@opt.quiet_option
def learn(
    on: str | None,
    journal: str | None,
    minutes: float | None,
    train_steps: int | None,
    retrieve: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Measure a model on fresh drills, or adapt it to your code.

    Drills are reported by kind of program and operation, with what to train more. With --on FOLDER or --journal DIR,
    the model is adapted to the code there. The result is kept only if it is better; otherwise the exit code is 1.
    """
    if options["model"] and options["model"].startswith(MODEL_PREFIXES):
        raise UsageError(
            f"--model {options['model']}: only a model in a folder can be drilled and adapted; "
            "`worldline bench` measures any other"
        )
    if on is None and journal is None:
        if minutes or train_steps or retrieve:
            raise UsageError("--minutes, --train-steps and --retrieve are for --on and --journal")
        _measure(as_json=as_json, **options)
        return
    if options["wall"] is not None:
        raise UsageError("--wall is for drills: with --on and --journal, the limits of `data mine` apply")
    shared = {name: options[name] for name in ("model", "out", "seed", "trust")}
    if retrieve:
        if train_steps:
            raise UsageError("--train-steps: with --retrieve nothing is trained")
        _remember(on, journal=journal, minutes=minutes, as_json=as_json, **shared)
        return
    _adapt(on, journal=journal, minutes=minutes, train_steps=train_steps, as_json=as_json, **shared)


def _adapt(folder: str | None, *, as_json: bool, **options: Any) -> None:
    from worldline.learning.adapt import adapt
    from worldline.ui.terminal.learning import print_adapted

    with opt.percent_of("the time" if not options["train_steps"] else "the training") as update:
        done = adapt(folder, progress=update, **options)
    opt.show(done, as_json, print_adapted)
    if done.refused:
        raise click.exceptions.Exit(1)


def _remember(folder: str | None, *, as_json: bool, **options: Any) -> None:
    from worldline.learning.remember import remember
    from worldline.ui.terminal.learning import print_remembered

    with opt.percent_of("the time") as update:
        done = remember(folder, progress=update, **options)
    opt.show(done, as_json, print_remembered)
    if done.refused:
        raise click.exceptions.Exit(1)


def _measure(*, as_json: bool, drills: int | None, seconds: float | None, **options: Any) -> None:
    from worldline.learning.learn import DEFAULT_DRILLS
    from worldline.learning.learn import learn as run
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.learning import print_measured

    with opt.progress(0 if seconds else drills or DEFAULT_DRILLS, "drills") as (advance, _):
        lesson = run(drills=drills, seconds=seconds, progress=advance, **options)
    if as_json:
        rows = [row.as_json() for row in lesson.rows]
        click.echo(json.dumps({"rows": rows, **lesson.curriculum.to_json()}))
    else:
        print_measured(terminal(), list(lesson.rows))
    if lesson.faults:
        raise WorldlineError(f"{lesson.faults:,} drills failed in the tool and are not counted")
