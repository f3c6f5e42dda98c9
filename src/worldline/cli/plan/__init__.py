"""The commands that search with a model: `plan repair`, `plan input`, `plan outputs`, `plan play`, `plan reach`."""

from __future__ import annotations

import click

from worldline.cli.plan.inputs import input
from worldline.cli.plan.outputs import outputs
from worldline.cli.plan.play import play
from worldline.cli.plan.reach import reach
from worldline.cli.plan.repair import repair


@click.group()
def plan() -> None:
    """Search with a world model, and confirm results by execution."""


plan.add_command(input)
plan.add_command(outputs)
plan.add_command(reach)
plan.add_command(repair)
plan.add_command(play)
