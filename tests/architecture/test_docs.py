"""The documentation and the program say the same: slugs, limits, options. Both directions."""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import click
import pytest
from imports import parsed
from option_tables import PAGE, refreshed

import worldline
from worldline.cli import cli
from worldline.core import errors
from worldline.core.events import OUTCOMES
from worldline.core.limits import Limits

pytestmark = pytest.mark.unit

ROOT = Path(worldline.__file__).parent
REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
SOURCES = {".py", ".c", ".h", ".js", ".css"}
VERBS = {
    f"{name} {inner}".strip(): command
    for name, verb in cli.commands.items()
    for inner, command in (verb.commands if isinstance(verb, click.Group) else {"": verb}).items()
}


def sections(page: str, mark: str) -> dict[str, str]:
    """The text under each heading of one level, by heading."""
    parts = re.split(rf"^{mark} (.+)$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def headings(section: str) -> list[str]:
    """The slugs that have a paragraph of their own in a section of messages.md."""
    text = sections((DOCS / "reference" / "messages.md").read_text("utf-8"), "##")[section]
    found = sections(text, "###")
    assert all(len(paragraph.split()) > 8 for paragraph in found.values()), "a slug without its paragraph"
    return [slug.strip("`") for slug in found]


def error_slugs() -> list[str]:
    """The slug of every exception class, and the one that is no exception."""
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    slugs = [kind.slug for kind in classes if issubclass(kind, errors.WorldlineError)]
    assert len(slugs) == len(set(slugs)), "two errors share a slug"
    return [*slugs, "interrupted"]


def test_every_error_is_explained() -> None:
    assert sorted(headings("Errors")) == sorted(error_slugs())


def note_slugs() -> set[str]:
    """What the code can note: arguments of `note`, what goes into `notes`, a table `_NOTES`; in C and Go too."""
    found: set[str] = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("note", "_note"):
                found |= texts(*node.args)
            elif isinstance(node, ast.keyword) and node.arg == "notes":
                found |= texts(node.value)
            elif isinstance(node, ast.Assign) and any("notes" in ast.unparse(name).lower() for name in node.targets):
                found |= texts(*node.value.values) if isinstance(node.value, ast.Dict) else texts(node.value)
    for path in (REPOSITORY / "native").glob("*.[ch]"):
        found |= set(re.findall(r'(?:note\w*\(|T_NOTE, *)"([^"]+)"', path.read_text("utf-8")))
    for path in (ROOT / "recording" / "guests" / "go" / "recorder").glob("*.go"):
        found |= set(re.findall(r'tagNote, "([^"]+)"', path.read_text("utf-8")))
    return found


def texts(*nodes: ast.AST) -> set[str]:
    """The texts that stand anywhere in some expressions, indices apart."""
    inside = [node for top in nodes for node in ast.walk(top)]
    indices = {id(node.slice) for node in inside if isinstance(node, ast.Subscript)}
    found = {node.value for node in inside if isinstance(node, ast.Constant) and id(node) not in indices}
    return {text for text in found if isinstance(text, str) and re.fullmatch(r"[a-z]+(-[a-z]+)*", text)}


def test_every_note_is_explained() -> None:
    assert set(headings("Notes")) == note_slugs()


def test_every_outcome_is_explained() -> None:
    assert headings("Outcomes") == list(OUTCOMES)


def test_the_exception_tree_drawn_in_errors_is_the_tree() -> None:
    drawn = set(re.findall(r"\+-- (\w+)", errors.__doc__ or ""))
    classes = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert drawn == classes - {"WorldlineError", "ClassVar"}


def test_every_limit_has_its_row_and_default() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| ([\d,.]+) \|", (DOCS / "reference" / "limits.md").read_text("utf-8"), re.MULTILINE
    )
    assert dict(rows) == {field.name: f"{field.default:,}" for field in fields(Limits)}


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_option_is_documented(verb: str) -> None:
    text = sections((DOCS / "reference" / "cli.md").read_text("utf-8"), "##")[verb]
    cells = re.findall(r"^\| (`-[^|]+`) \|", text, re.MULTILINE)
    documented = [option for cell in cells for option in re.findall(r"(?<![\w-])--?[a-zA-Z][a-z-]*", cell)]
    options = [param for param in VERBS[verb].params if isinstance(param, click.Option)]
    assert sorted(documented) == sorted(name for option in options for name in option.opts)


def test_option_tables_repeat_the_help() -> None:
    """`python tests/architecture/option_tables.py` writes them anew."""
    page = PAGE.read_text("utf-8")
    assert page == refreshed(page)


def test_every_verb_has_its_section_and_no_other() -> None:
    assert set(sections((DOCS / "reference" / "cli.md").read_text("utf-8"), "##")) == set(VERBS)


def test_every_option_has_a_help_text() -> None:
    bare = [
        (verb, option.name)
        for verb, command in VERBS.items()
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert bare == []


def test_every_limit_is_an_option() -> None:
    names = {param.name for param in cli.commands["record"].params}
    assert {field.name for field in fields(Limits)} <= names


def test_the_version_is_said_once() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == worldline.__version__
    assert f"## [{worldline.__version__}]" in (REPOSITORY / "CHANGELOG.md").read_text("utf-8")


def test_paths_that_pages_and_sources_name_exist() -> None:
    """LOG.md and CHANGELOG.md speak of their own time. Examples of recorded tests are those of the small repository."""
    named = re.compile(
        r"(?<![\w./-])(?:src|native|docs|tests|benchmarks|studies|recipes|examples)/[\w./-]*\w/?(?![\w*{<])"
    )
    pages = [*REPOSITORY.glob("*.md"), *DOCS.rglob("*.md"), *(REPOSITORY / "tests").glob("*.md")]
    own = [path for path in ROOT.rglob("*") if "vendor" not in path.parts]
    sources = [path for path in [*own, *(REPOSITORY / "native").iterdir()] if path.suffix in SOURCES]
    gone = set()
    for path in [*pages, *sources]:
        if path.name not in ("LOG.md", "CHANGELOG.md"):
            roots = (REPOSITORY, path.parent, REPOSITORY / "tests" / "repository" / "project")
            found = {*named.findall(path.read_text("utf-8"))}
            lost = (name for name in found if not any((root / name).exists() for root in roots))
            gone |= {f"{path.relative_to(REPOSITORY)}: {name}" for name in lost}
    assert gone == set()


def test_every_folder_of_tests_says_why_it_exists() -> None:
    tests = REPOSITORY / "tests"
    rows = set(re.findall(r"^\| `(\w+)/` \|", (tests / "README.md").read_text("utf-8"), re.MULTILINE))
    folders = {path.name for path in tests.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= rows


def test_modules_and_constants_that_guides_name_exist() -> None:
    """Paths are relative to the package, as in `cli/suites.py`; `sorting.py` is what the reader writes."""
    packages = "|".join(path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] not in "_.")
    sources = "\n".join(path.read_text("utf-8") for path in ROOT.rglob("*.py"))
    gone = set()
    for page in [REPOSITORY / "CONTRIBUTING.md", *DOCS.rglob("*.md")]:
        text = page.read_text("utf-8")
        paths = set(re.findall(rf"`((?:{packages})/[\w/]+(?:\.py|/))`", text)) - {"evaluation/suites/sorting.py"}
        gone |= {f"{page.name}: {path}" for path in paths if "NAME" not in path and not (ROOT / path).exists()}
        if page.name == "CONTRIBUTING.md":
            names = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)*)` (?:of|in) `", text)) | set(
                re.findall(r"add it to\s+`([A-Z_]+)`", text)
            )
            gone |= {f"{page.name}: {name}" for name in names if not re.search(rf"\b{name}\b\s*[:=]", sources)}
    assert gone == set()
