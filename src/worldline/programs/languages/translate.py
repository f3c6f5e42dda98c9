"""Translates small Python programs into other languages: the same names, the same steps, the same answer.

It covers what the generator writes: functions over ints, booleans, letters, texts, lists of ints, dicts of ints and
records, with loops, branches and recursion. Anything else raises `UntranslatableError`, and the caller draws another
program. Drawn ints stay small, so that no language overflows. Nothing is executed here.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from random import Random

from worldline.core.language import LANGUAGES, usual_name
from worldline.core.program import Program
from worldline.programs.languages.expressions import Expressions, kind_of
from worldline.programs.languages.spelling import Speaker, UntranslatableError
from worldline.programs.languages.statements import Statements
from worldline.programs.languages.target_types import TargetTypes
from worldline.programs.languages.types import scope

RESERVED = {"main": "run", "next": "after", "far": "off", "in": "into", "to": "goal", "end": "last", "char": "letter"}
CLASSES = ("Main", "Program", "Task")
_INDENTS = {"tab": "\t"}


def translated(program: Program, language: str, rng: Random) -> Program:
    """Translate a Python program into another language.

    Args:
        program: The Python program.
        language: The target language.
        rng: Source of randomness, for the choice of spellings.

    Returns:
        The translated program, with its call if the original has one.

    Raises:
        UntranslatableError: The target language cannot express the program.
    """
    tree = ast.parse(_renamed(program.source))
    speaker = Speaker(language, rng)
    call = None if program.call is None else _call(_renamed(program.call))
    records = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    script = [node for node in tree.body if not isinstance(node, ast.ClassDef | ast.FunctionDef)]
    if any(isinstance(node, ast.Import | ast.ImportFrom) for node in script):
        raise UntranslatableError("imports")
    calls = [*([call] if call else []), *(node for node in ast.walk(tree) if isinstance(node, ast.Call))]
    translation = Translation(speaker, {node.name: _fields(node) for node in records}, functions, calls)
    body = [*(translation.record(node) for node in records), *(translation.function(node) for node in functions)]
    if script:
        body.append(translation.script(script))
    elif call is None:
        raise UntranslatableError("a program without a call or a script")
    lang = LANGUAGES[language]
    name = lang.main_class + lang.suffixes[0] if lang.main_class else usual_name(language)
    source = translation.whole(body, lang.main_class or rng.choice(CLASSES))
    return Program(source=source, name=name, call=translation.called(call) if call else None)


class Translation:
    """A program during its translation: what its functions take and return, and the features it needs."""

    def __init__(
        self, speaker: Speaker, records: dict[str, list[str]], functions: list[ast.FunctionDef], calls: list[ast.Call]
    ) -> None:
        self.speaker, self.records, self.target_types = speaker, records, TargetTypes(speaker)
        self._gives: dict[str, str] = {}
        self._takes = {node.name: _parameters(node, calls) for node in functions}
        for node in functions:
            if node.returns is not None:
                self._gives[node.name] = _annotated(node.returns)

    def record(self, node: ast.ClassDef) -> list[str]:
        """Translate a record's definition."""
        speaker, fields = self.speaker, self.records[node.name]
        typed = (
            [speaker.text("param", name, speaker.text("type", kind="int")) for name in fields]
            if speaker.can("type int")
            else fields
        )
        declared = [speaker.text("fielddecl", name) for name in fields] if speaker.can("fielddecl") else []
        assigned = [speaker.text("fieldset", name) for name in fields] if speaker.can("fieldset") else []
        parts = (", ".join(fields), ", ".join(typed), "\n    ".join(declared), "\n        ".join(assigned))
        return speaker.line("record", node.name, *parts)

    def function(self, node: ast.FunctionDef) -> list[str]:
        """Translate a function."""
        params = self._takes[node.name]
        statements = self._statements(node.body, params)
        body = statements.block(node.body, 1)
        gives = self._gives.setdefault(node.name, statements.gives)
        if not gives:
            raise UntranslatableError("a function without a return value")
        if self._gives[node.name] != gives:
            raise UntranslatableError("a function that returns several types")
        head = [
            self._parameter(name, "int" if kind == "nat" else kind, name in statements.scope.changed)
            for name, kind in params.items()
        ]
        listed = ", ".join(head) or (self.speaker.text("nothing") if self.speaker.can("nothing") else "")
        lines = self.speaker.line("function", node.name, listed, self.target_types.typed(gives))
        return [*lines, *body, *self.speaker.line("endfunction")]

    def script(self, body: list[ast.stmt]) -> list[str]:
        """Translate top-level statements, inside a main function if the language needs one."""
        has_main = self.speaker.can("script")
        lines = self._statements(body, {}).block(body, int(has_main))
        return [*self.speaker.line("script"), *lines, *self.speaker.line("endscript")] if has_main else lines

    def whole(self, parts: list[list[str]], name: str) -> str:
        """Assemble the file: its includes, its parts, and the class around them."""
        speaker = self.speaker
        used = speaker.used(self.target_types.features)
        first, header = ([speaker.text(name)] if speaker.can(name) else [] for name in ("first", "header"))
        top = [*first, *used, *header]
        if self.target_types.several and speaker.can("severaltype"):
            shown = (
                speaker.text("severalfield", field, self.target_types.typed(kind))
                for field, kind in self.target_types.several
            )
            parts = [speaker.text("severaltype", "\n    ".join(shown)).rstrip("\n").split("\n"), *parts]
        lines = [line for part in parts for line in [*part, ""]][:-1]
        if speaker.can("open"):
            inside = ["    " + line if line else line for line in lines]
            lines = [*speaker.line("open", name), *inside, *speaker.line("close")]
        text = "\n".join([*top, *([""] if top else []), *lines]) + "\n"
        indent = _INDENTS.get(word := speaker.text("indent")) or " " * int(word)
        return text if indent == "    " else "".join(_indented(line, indent) for line in text.splitlines(keepends=True))

    def called(self, call: ast.Call) -> str:
        """Return the call in canonical form."""
        parts = []
        for argument in call.args:
            text = ast.unparse(argument)
            counted = (
                isinstance(argument, ast.List)
                and self.speaker.can("argument", "list")
                and self.speaker.rules.counts_lists
            )
            parts += [text, str(len(argument.elts))] if counted and isinstance(argument, ast.List) else [text]
        assert isinstance(call.func, ast.Name)
        return f"{call.func.id}({', '.join(parts)})"

    def _statements(self, body: list[ast.stmt], params: dict[str, str]) -> Statements:
        names = scope(body, params)
        expressions = Expressions(self.speaker, self.records, self._gives, names, self.target_types.features)
        return Statements(expressions, self.target_types)

    def _parameter(self, name: str, kind: str, is_changed: bool) -> str:
        if is_changed and kind not in ("int", "bool", "char"):
            raise UntranslatableError("a parameter that is changed in place")
        typed = self.target_types.typed(kind)
        if kind in ("list", "str"):
            return self.speaker.text("param", name, typed, kind=kind)
        return self.speaker.text("param", name, typed, kind="assigned" if is_changed else "")


def _parameters(node: ast.FunctionDef, calls: list[ast.Call]) -> dict[str, str]:
    """Return the types of a function's parameters, from annotations or from the arguments of a call."""
    named = (
        parameter for parameter in calls if isinstance(parameter.func, ast.Name) and parameter.func.id == node.name
    )
    first = next(named, None)
    arguments = first.args if first else []
    kinds = {}
    for at, parameter in enumerate(node.args.args):
        if parameter.annotation is not None:
            kinds[parameter.arg] = _annotated(parameter.annotation)
        elif at < len(arguments):
            kind = kind_of(arguments[at])
            kinds[parameter.arg] = "str" if kind == "char" else kind
        else:
            raise UntranslatableError("a parameter of unknown type")
    return kinds


def _annotated(node: ast.expr) -> str:
    return ast.unparse(node)


def _fields(node: ast.ClassDef) -> list[str]:
    return [
        statement.target.id
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    ]


def _call(text: str) -> ast.Call:
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
        raise UntranslatableError("a call that is not plain")
    return call


def _renamed(source: str) -> str:
    """Rename names that are keywords in a target language."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for label in ("id", "name", "arg"):
            if (name := getattr(node, label, None)) in RESERVED:
                setattr(node, label, RESERVED[name])
    return ast.unparse(tree)


def _indented(line: str, indent: str) -> str:
    bare = line.lstrip(" ")
    return indent * ((len(line) - len(bare)) // 4) + bare


def as_script(program: Program) -> Program:
    """Return the program as a script that prints its call; list arguments get names there."""
    if program.call is None:
        return program
    call, lines = _call(program.call), list[str]()
    for at, argument in enumerate(call.args):
        if isinstance(argument, ast.List):
            lines.append(f"given{at} = {ast.unparse(argument)}\n")
            call.args[at] = ast.Name(f"given{at}", ast.Load())
    return replace(program, source=f"{program.source}{''.join(lines)}print({ast.unparse(call)})\n", call=None)
