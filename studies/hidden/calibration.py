"""How a model believes draws of `measure_below n` to fall, n from 2 to 20: a table, and its reliability diagram.

    python studies/hidden/calibration.py --model M [--json] [--svg FILE]

For each n the greatest difference from 1/n over all values and all ways to say the draw, and the mass on what is no
value of it. The model reads without a guide: the probabilities are its own. Exit 1 where one is off by more.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from worldline.plan.futures.below import PHRASES, BelowTable, measure_below
from worldline.plan.futures.odds import require_text_scorer
from worldline.plan.futures.scores import calibration_error
from worldline.predict.models import load_model
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.futures_charts import reliability_svg
from worldline.ui.report.page import STYLE


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="default")
    parser.add_argument("--most", type=int, default=20, help="the greatest n [20]")
    parser.add_argument("--within", type=float, default=0.02, help="what is called calibrated [0.02]")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--svg", type=Path, help="where the diagram goes")
    asked = parser.parse_args()
    table = measure_below(require_text_scorer(load_model(asked.model)), range(2, asked.most + 1))
    if asked.svg is not None:
        asked.svg.write_text(_alone(table, asked.model), "utf-8")
    print(json.dumps(table.as_json()) if asked.json else _text(table, asked.model, asked.within))
    return int(table.worst > asked.within)


def _text(table: BelowTable, model: str, within: float) -> str:
    lines = [f"{model}: {len(table.rows)} sizes, each said in {len(PHRASES)} ways"]
    lines.append(f"{'n':>3} {'1/n':>7} {'least':>7} {'most':>7} {'worst':>7} {'no value':>9}")
    for row in table.rows:
        least, most = min(row.probabilities), max(row.probabilities)
        lines.append(f"{row.n:>3} {1 / row.n:>7.4f} {least:>7.4f} {most:>7.4f} {row.worst:>7.4f} {row.rest:>9.4f}")
    fine = sum(row.worst <= within for row in table.rows)
    lines.append(
        f"worst {table.worst:.4f}; within {within}: {fine} of {len(table.rows)}; "
        f"expected calibration error {calibration_error(table.bins):.4f}"
    )
    return "\n".join(lines)


def _alone(table: BelowTable, model: str) -> str:
    """The diagram as a file of its own: with its styles, and a ground."""
    figure = reliability_svg("below", f"{model}: draws of below n", [(model, table.bins)])
    styles = f'<style>{ROW_STYLE}{STYLE}</style><rect width="100%" height="100%" fill="white"/>'
    head, _, rest = figure.partition("<title>")
    return head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ') + styles + "<title>" + rest + "\n"


if __name__ == "__main__":
    sys.exit(main())
