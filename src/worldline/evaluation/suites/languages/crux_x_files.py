"""Finds and reads the files of CRUXEval-X: those of its repository, in both layouts, and those on Hugging Face.

The repository (https://github.com/CRUXEVAL-X/cruxeval-x) has `datasets/cruxeval_preprocessed/js.jsonl`, whose rows
have the test twice with `????`, and `datasets/cruxeval-x/js.json`, a list of objects with only `id` and `code`, and no
`code` where the translation failed. There, the input and the output are located in the test. Hugging Face has Parquet
files with the rows of the former.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.evaluation.rows import read_objects, read_rows

KEYS = ("id", "code", "input_reasoning", "output_reasoning")
BLANK = "????"
# Folders of the benchmark, from that of its repository or dataset: the first file that exists is read.
FOLDERS = ("", "datasets/cruxeval_preprocessed", "cruxeval_preprocessed", "data", "datasets/cruxeval-x", "cruxeval-x")
_ASSERTED = re.compile(r"\b(?:assert(?:_eq!|\.deepEqual)?\(|actual:)\s*(?:candidate|f)\(")
_COMPARED = re.compile(r"\s*(?:==\s*|\.equals\(|,\s*(?:expected:\s*)?)")
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`", re.DOTALL)


@dataclass(frozen=True)
class CruxFiles:
    """The files of one language.

    Attributes:
        ending: How the repository abbreviates the language.
        split: How the dataset names it.
        test: How the test after a function begins.
    """

    ending: str
    split: str
    test: re.Pattern[str]


def read_cruxeval_x(data: str | Path, files: CruxFiles) -> list[dict[str, str]]:
    """Read the rows of a language, each with the keys in `KEYS`.

    Args:
        data: The folder of the repository or of the dataset, one of the folders in it, or one file.
        files: The files of the language.

    Raises:
        UsageError: There is no file of the language, or it has other rows.
    """
    path = _file(Path(data), files)
    if not path.name.endswith(".json"):
        return read_rows(path, KEYS)
    rows = (_located(row, files.test) for _, row in read_objects(path, ("id",)))
    return [row for row in rows if row is not None]


def _file(data: Path, files: CruxFiles) -> Path:
    """Return the file of a language in a folder; a file is returned as it is."""
    if not data.is_dir():
        return data
    names = (f"{files.ending}.jsonl", f"{files.split}.jsonl", f"{files.split}-*.parquet", f"{files.ending}.json")
    for folder in FOLDERS:
        for name in names:
            if matches := sorted((data / folder).glob(name)):
                return matches[0]
    raise UsageError(
        f"{data} has no file of CRUXEval-X for {files.split}, such as "
        f"datasets/cruxeval_preprocessed/{files.ending}.jsonl: "
        "pass the folder of https://github.com/CRUXEVAL-X/cruxeval-x, or of the dataset xhwl/cruxeval-x"
    )


def _located(row: Any, test: re.Pattern[str]) -> dict[str, str] | None:
    """Return a row of only `id` and `code` with its input and output located; None if that is not possible."""
    code = row.get("code")
    tests = list(test.finditer(code)) if isinstance(code, str) else []
    asserted = _ASSERTED.search(code, tests[-1].start()) if tests else None
    if asserted is None:
        return None
    given_end = _closing(code, asserted.end())
    compared = _COMPARED.match(code, given_end + 1)
    if given_end < 0 or compared is None:
        return None
    answer_end = _closing(code, compared.end())
    if answer_end < 0:
        return None
    start = tests[-1].start()
    blanked = [
        code[start:begin] + BLANK + code[end:]
        for begin, end in ((asserted.end(), given_end), (compared.end(), answer_end))
    ]
    return dict(zip(KEYS, (str(row["id"]), code, *blanked), strict=True))


def _closing(code: str, at: int) -> int:
    """Return where the bracket is closed that was opened before `at`; -1 if it is not."""
    depth = 0
    while at < len(code):
        if text := _TEXT.match(code, at):
            at = text.end()
            continue
        if code[at] in "([{":
            depth += 1
        elif code[at] in ")]}":
            if not depth:
                return at
            depth -= 1
        at += 1
    return -1
