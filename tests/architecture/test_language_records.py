"""A language is one record and its entries in the tables named here; nothing else compares a language's name."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from imports import parsed

import worldline
from worldline.analyze.flow.beginning import BEGINNINGS
from worldline.analyze.flow.definitions import DEFINITIONS
from worldline.analyze.flow.kin import HEADED
from worldline.codec.literals import LITERALS
from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES, SUFFIXES, Feature, Language, language_of, usual_name
from worldline.core.program import Program
from worldline.evaluation.suites.languages.calls import CALLS
from worldline.evaluation.suites.languages.crux_x import CRUX_ROWS
from worldline.evaluation.suites.languages.humaneval_x import BENCHMARK_LANGUAGES
from worldline.programs.languages.spelling import RULES
from worldline.recording.languages.flags import COMPILER_RULES, VM_RULES
from worldline.recording.languages.libraries import LIBRARY_RULES
from worldline.recording.languages.named import NAMED_FILES
from worldline.recording.languages.toolchain import KINDS

pytestmark = pytest.mark.unit

ROOT = Path(worldline.__file__).parent
MAX_COMPARISONS = 5
"""Comparisons with the name of a language, outside the record and the guests.

Two are none, but look so: the recorder's core `python`, and the package `java` in the name of a class.
"""
OWNERS = ("core/language.py", "recording/guests/")
OTHERS = {name for name, language in LANGUAGES.items() if not language.runs_in_interpreter}
FULL_TABLES = {  # an entry for every language that a toolchain runs
    "analyze.flow.beginning": BEGINNINGS,
    "analyze.flow.definitions": DEFINITIONS,
    "recording.languages.named": NAMED_FILES,
    "recording.languages.toolchain": KINDS,
    "programs.languages.spelling": RULES,
    "codec.literals": LITERALS,
    "evaluation.suites.languages.calls": CALLS,
}
PARTIAL_TABLES = {  # an entry where the language, or the benchmark, has such a thing
    "analyze.flow.kin": HEADED,
    "recording.languages.flags.compilers": COMPILER_RULES,
    "recording.languages.flags.machines": VM_RULES,
    "recording.languages.libraries": LIBRARY_RULES,
    "evaluation.suites.languages.crux_x": CRUX_ROWS,
    "evaluation.suites.languages.humaneval_x": BENCHMARK_LANGUAGES,
}


def names_a_language(node: ast.AST) -> bool:
    """Whether an operand is the name of a language, the default one, or holds such a name."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value in LANGUAGES
    if isinstance(node, ast.Name):
        return node.id == "DEFAULT_LANGUAGE"
    return isinstance(node, ast.Tuple | ast.List | ast.Set) and any(map(names_a_language, node.elts))


def comparisons(tree: ast.AST) -> Iterator[int]:
    """The lines that compare something with the name of a language."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(map(names_a_language, [node.left, *node.comparators])):
            yield node.lineno
        elif isinstance(node, ast.MatchValue) and names_a_language(node.value):
            yield node.value.lineno


def test_names_of_languages_are_not_compared() -> None:
    places = [
        f"{name}:{line}"
        for path in sorted(ROOT.rglob("*.py"))
        if not (name := path.relative_to(ROOT).as_posix()).startswith(OWNERS)
        for line in comparisons(parsed(path))
    ]
    assert len(places) <= MAX_COMPARISONS, f"ask the record of the language instead: {places}"


@pytest.mark.parametrize(
    "text",
    [
        'language == "python"',
        '"js" != program.language',
        'language in ("c", "cpp")',
        'language not in {"rust"}',
        "language == DEFAULT_LANGUAGE",
        'match language:\n    case "java":\n        pass',
    ],
)
def test_a_comparison_is_seen_however_it_is_written(text: str) -> None:
    assert len(list(comparisons(ast.parse(text)))) == 1


def test_other_comparisons_are_not_counted() -> None:
    assert list(comparisons(ast.parse('language == "auto" or kind in ("call", 3) or TABLE["js"]'))) == []


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_a_record_is_complete(language: Language) -> None:
    from pygments.lexers import get_lexer_by_name

    assert LANGUAGES[language.name] is language
    assert language.title
    assert re.fullmatch(r"text/[\w+-]+", language.mime)
    assert get_lexer_by_name(language.lexer) is not None
    assert language.line_end.split("a\r\nb\n") == ["a", "b", ""]
    assert language.suffixes
    assert all(SUFFIXES[suffix] == language.name for suffix in language.suffixes)
    assert language_of(usual_name(language.name)) == language.name
    assert Program(source="", name=usual_name(language.name)).lang is language
    assert language.extends == "" or language.extends in LANGUAGES
    assert language.has_syntax_tree <= language.runs_in_interpreter


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
@pytest.mark.parametrize("feature", Feature)
def test_a_feature_is_offered_or_refused_with_a_reason(language: Language, feature: Feature) -> None:
    refusal = language.refusal(feature, "a program")
    assert language.offers(feature) == (refusal == "")
    if language.offers(feature):
        language.require(feature, "a program")
    else:
        assert len(language.unavailable[feature].split()) > 2
        with pytest.raises(UsageError, match=re.escape(f"a program is {language.title}, and ")):
            language.require(feature, "a program")


def test_names_titles_and_suffixes_are_unique() -> None:
    assert len({language.title for language in LANGUAGES.values()}) == len(LANGUAGES)
    assert len(SUFFIXES) == sum(len(language.suffixes) for language in LANGUAGES.values())
    assert [language.name for language in LANGUAGES.values() if language.is_default] == ["python"]


@pytest.mark.parametrize("table", FULL_TABLES.values(), ids=FULL_TABLES)
def test_every_other_language_is_in_a_full_table(table: Mapping[str, object]) -> None:
    assert set(table) == OTHERS


@pytest.mark.parametrize("table", PARTIAL_TABLES.values(), ids=PARTIAL_TABLES)
def test_a_partial_table_has_only_known_languages(table: Mapping[str, object]) -> None:
    assert set(table) < OTHERS


def test_every_other_language_is_spelled() -> None:
    folder = ROOT / "programs" / "languages" / "spelling"
    assert {path.stem for path in folder.glob("*.txt")} == OTHERS


@pytest.mark.parametrize("file", ["ui/session/marks/natives.toml", "plan/rehearse/calls.toml"])
def test_every_other_language_has_names_or_those_of_the_one_it_extends(file: str) -> None:
    named = set(tomllib.loads((ROOT / file).read_text("utf-8")))
    assert {name for name in OTHERS if {name, LANGUAGES[name].extends}.isdisjoint(named)} == set()


def test_the_page_has_every_language() -> None:
    static = ROOT / "ui" / "web" / "static"
    titles = re.search(r"const LANGUAGES = \{([^}]*)\}", (static / "program.js").read_text("utf-8"))
    assert titles is not None
    assert dict(re.findall(r'(\w+): "([^"]*)"', titles[1])) == {
        name: language.title for name, language in LANGUAGES.items()
    }
    ends = re.search(r"const ENDS = \{(.*)\};", (static / "source.js").read_text("utf-8"))
    assert ends is not None
    default = LANGUAGES["python"].line_end
    assert set(re.findall(r"(\w+): /", ends[1])) == {
        name for name, language in LANGUAGES.items() if language.line_end is not default
    }


@pytest.mark.parametrize("workload", ["large", "workloads"])
def test_every_language_has_its_benchmarks(workload: str) -> None:
    """TypeScript runs those of JavaScript."""
    suffixes = {LANGUAGES[name].suffixes[0] for name in OTHERS - {"ts"}}
    folder = Path(__file__).parents[2] / "benchmarks" / "foreign"
    assert {path.suffix for path in folder.glob(f"{workload}.*")} == suffixes
