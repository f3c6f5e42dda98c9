"""The look of a run's page: quiet, one column, the reader's own fonts, light and dark. It follows `debug_page`'s."""

from __future__ import annotations

from importlib.resources import files

STYLE = "\n" + files(__package__).joinpath("report_style.css").read_text("utf-8")
