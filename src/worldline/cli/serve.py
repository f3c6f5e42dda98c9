"""The command `serve`: a local model behind OpenAI's completions protocol."""

from __future__ import annotations

import os
from typing import Any

import click

from worldline.cli.options import option, settings
from worldline.core.errors import UsageError


@click.command()
@click.argument("model", default="default")
@option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, note="here threads and precision"
)
@click.option("--served-name", default="", help="What clients call the model [its own name].")
@option("--host", default="127.0.0.1", note="another one than this needs --key-env")
@option("--port", type=click.IntRange(0, 65_535), default=8000, default_text="8000")
@click.option("--batch", type=click.IntRange(min=1), default=16, help="Texts that are written together [16].")
@click.option("--no-guide", is_flag=True, help="Do not hold steps to their grammar.")
@click.option("--key-env", metavar="NAME", help="The variable of the key that clients must show.")
def serve(model: str, no_guide: bool, key_env: str | None, **options: Any) -> None:
    """Serve MODEL, the shipped one or a folder, behind OpenAI's /v1/completions protocol."""
    from worldline.ui.serve.start import serve as run

    key = os.environ.get(key_env, "") if key_env else ""
    if key_env and not key:
        raise UsageError(f"no key: the environment has no {key_env}")
    run(model, guide=not no_guide, key=key, say=click.echo, **options)
