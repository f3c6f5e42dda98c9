"""`python -m worldline.evaluation.harness` prints the folder that `lm_eval --include_path` takes."""

from __future__ import annotations

from pathlib import Path

if __name__ == "__main__":
    print(Path(__file__).parent / "lm_eval_tasks")
