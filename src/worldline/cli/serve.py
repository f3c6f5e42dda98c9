"""The verb `serve`: a local model behind OpenAI's completions protocol. No logic."""

from __future__ import annotations

import os

import click

from worldline.cli.options import settings
from worldline.core.errors import UsageError


@click.command()
@click.argument("model", default="default")
@click.option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, help="Engine: threads, precision."
)
@click.option("--name", default="", help="What clients call the model [its own name].")
@click.option("--host", default="127.0.0.1", help="Where to listen; another one than this needs --key-env.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8000, help="0 for any that is free [8000].")
@click.option("--batch", type=click.IntRange(min=1), default=16, help="Texts that are written together [16].")
@click.option("--no-guide", is_flag=True, help="Do not hold steps to their grammar.")
@click.option("--key-env", metavar="NAME", help="The variable of the key that clients must show.")
def serve(
    model: str, extras: dict[str, str], name: str, host: str, port: int, batch: int, no_guide: bool, key_env: str | None
) -> None:  # fmt: skip
    """Serve MODEL, the shipped one or a folder, as OpenAI's /v1/completions: other tools can ask it."""
    if strange := sorted(extras.keys() - {"threads", "precision"}):
        raise UsageError(f"-M {strange[0]} is said by each question here; serve takes threads and precision")
    key = os.environ.get(key_env, "") if key_env else ""
    if key_env and not key:
        raise UsageError(f"no key: the environment has no {key_env}")
    try:
        from worldline.ui.serve.server import serve as run
    except ImportError as error:
        raise UsageError(f"serving needs the extra `view`: pip install 'worldline[view]' ({error})") from None
    from worldline.predict.models import load_local

    if model == "interpreter" or model.startswith(("server:", "hub:", "replay:", "python:")):
        raise UsageError(f"{model} is not served: serve takes `default`, a checkpoint's folder or its URL")

    run(
        load_local(model, extras), host=host, port=port, batch=batch, guide=not no_guide, name=name, key=key,
        say=click.echo,
    )  # fmt: skip
