"""Translates statements of a small Python program into indented lines."""

from __future__ import annotations

import ast

from worldline.programs.languages.expressions import Expressions, kind_of
from worldline.programs.languages.spelling import SpelledExpression, UntranslatableError
from worldline.programs.languages.target_types import TargetTypes

_AUGMENTED: dict[type[ast.operator], str] = {ast.Add: "augadd", ast.Sub: "augsub", ast.Mult: "augmul"}
_SPARE = {"int": ("t", "tmp", "old"), "char": ("tc", "keep"), "bool": ("tb", "was")}  # names for what waits its turn
_FOUND = ("ok", "exists", "isThere")  # names for whether a map has a key; a function has few others
_FORMATS = {"int": "%d", "bool": "%d", "char": "%c", "str": "%s"}
MAX_LIST_ITEMS = 16  # elements that a list of C may come to hold


class Statements:
    """Translates the statements of one function or of a script."""

    def __init__(self, say: Expressions, types: TargetTypes) -> None:
        self.say, self.target_types, self.speaker, self.scope = say, types, say.speaker, say.scope
        self.gives = ""
        self._spares = set[str]()

    def block(self, body: list[ast.stmt], depth: int) -> list[str]:
        """Translate statements at a depth, in their own block."""
        self.say.types.append({})
        lines: list[str] = []
        for at, node in enumerate(body):
            known = set(self.say.types[-1])
            lines += self._statement(node, depth)
            lines += self._unread(self.say.types[-1].keys() - known, body[at + 1 :], depth)
        self.say.types.pop()
        return lines

    def _unread(self, declared: set[str], rest: list[ast.stmt], depth: int) -> list[str]:
        """Mark the names that the rest of their block does not read, where the language refuses such names."""
        if not self.speaker.can("unread"):
            return []
        pad = "    " * depth
        return [pad + self.speaker.text("unread", name) for name in sorted(declared) if not _is_read(name, rest)]

    def _statement(self, node: ast.stmt, depth: int) -> list[str]:
        act = getattr(self, f"_{type(node).__name__.lower()}", None)
        if act is None:
            raise UntranslatableError(type(node).__name__)
        pad = "    " * depth
        if isinstance(node, ast.If | ast.While | ast.For):
            lines: list[str] = act(node, depth)
            return lines
        return [pad + line for line in act(node)]

    # ---- blocks

    def _if(self, node: ast.If, depth: int, word: str = "if") -> list[str]:
        pad = "    " * depth
        lines = [pad + line for line in self._tested(word, node.test)]
        lines += self.block(node.body, depth + 1)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            return lines + self._if(node.orelse[0], depth, "elif")
        if node.orelse:
            lines += [pad + line for line in self.speaker.line("else")]
            lines += self.block(node.orelse, depth + 1)
        return lines + [pad + line for line in self.speaker.line("end")]

    def _tested(self, word: str, test: ast.expr) -> list[str]:
        """Write the head of a branch; a language may look up a key in a head alone."""
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.In | ast.NotIn):
            return self.speaker.line(word, self._test(test))
        kind = "has" if isinstance(test.ops[0], ast.In) else "lacks"
        if not self.speaker.can(f"{word} {kind}"):
            return self.speaker.line(word, self._test(test))
        is_found = next(name for name in _FOUND if name not in self.scope.names)
        return self.speaker.line(word, self.say(test.comparators[0]), self.say(test.left), is_found, kind=kind)

    def _while(self, node: ast.While, depth: int) -> list[str]:
        return self._looped(self.speaker.line("while", self._test(node.test)), node.body, depth, {})

    def _for(self, node: ast.For, depth: int) -> list[str]:
        if not isinstance(node.target, ast.Name):
            raise UntranslatableError("a loop with several targets")
        name, pad = node.target.id, "    " * depth
        if name == "_":
            name = next(candidate for candidate in ("i", "k", "step", "turn") if not self.say.visible(candidate))
        if isinstance(node.iter, ast.Call):
            return self._looped(self._range(name, node.iter), node.body, depth, {name: "int"})
        before: list[str] = []
        if isinstance(node.iter, ast.List):
            list_name = next(
                candidate for candidate in ("moves", "steps", "path", "order") if not self.say.visible(candidate)
            )
            before = [pad + line for line in self._listed(list_name, node.iter)]
            piece = self.say(ast.Name(list_name))
        else:
            piece = self.say(node.iter)
        if piece.type == "str":
            is_text = isinstance(node.iter, ast.Constant)
            kind = "literal" if is_text else "unread" if not _is_read(name, node.body) else ""
            head = self.speaker.line("forchars", name, piece, kind=kind)
            return before + self._looped(head, node.body, depth, {name: "char"})
        if piece.type not in ("list", "stack"):
            raise UntranslatableError("a loop over a value that is not iterable")
        head = self.speaker.line("foreach", name, piece, kind="" if _is_read(name, node.body) else "unread")
        return before + self._looped(head, node.body, depth, {name: "int"})

    def _range(self, name: str, node: ast.Call) -> list[str]:
        if not isinstance(node.func, ast.Name) or node.func.id != "range":
            raise UntranslatableError("a loop over a call")
        parts = [self.say(argument) for argument in node.args]
        if len(parts) == 3:
            if ast.unparse(node.args[2]) != "-1":
                raise UntranslatableError("a range with wider steps")
            return self.speaker.line("fordown", name, parts[0], parts[1])
        first, last = parts if len(parts) == 2 else (self.speaker.expression("int", "0"), parts[0])
        return self.speaker.line("for", name, first, last)

    def _looped(self, head: list[str], body: list[ast.stmt], depth: int, names: dict[str, str]) -> list[str]:
        pad = "    " * depth
        self.say.types.append(names)
        lines = [pad + line for line in head] + self.block(body, depth + 1)
        self.say.types.pop()
        return lines + [pad + line for line in self.speaker.line("end")]

    def _test(self, node: ast.expr) -> SpelledExpression:
        piece = self.say(node)
        if piece.type != "bool":
            raise UntranslatableError("the truth value of a non-boolean")
        return piece

    # ---- single statements

    def _return(self, node: ast.Return) -> list[str]:
        if node.value is None:
            raise UntranslatableError("a return without a value")
        piece = self.say(node.value)
        if piece.type.startswith("several:") and isinstance(node.value, ast.Tuple):
            names = [
                element.id if isinstance(element, ast.Name) else f"v{at}" for at, element in enumerate(node.value.elts)
            ]
            shown = tuple(zip(names, piece.type.partition(":")[2].split(","), strict=True))
            if self.target_types.several not in ((), shown) or len(set(names)) < len(names):
                raise UntranslatableError("tuples of different shapes are returned")
            self.target_types.several = shown
        if self.gives not in ("", piece.type):
            raise UntranslatableError("values of several types are returned")
        self.gives = "list" if piece.type == "stack" else piece.type
        if piece.type in ("list", "stack") and not self.speaker.rules.returns_lists:
            raise UntranslatableError("an array is returned")
        is_given = isinstance(node.value, ast.Name) and node.value.id in self.scope.params
        is_other = piece.type in ("str", "stack", "map", "charmap") or (piece.type == "list" and is_given)
        if is_other and not self.speaker.rules.returns_shared:
            raise UntranslatableError("a shared value is returned")
        return self.speaker.line("return", piece)

    def _break(self, node: ast.Break) -> list[str]:
        return self.speaker.line("break")

    def _continue(self, node: ast.Continue) -> list[str]:
        return self.speaker.line("continue")

    def _pass(self, node: ast.Pass) -> list[str]:
        return []

    def _delete(self, node: ast.Delete) -> list[str]:
        (target,) = node.targets
        if not isinstance(target, ast.Subscript):
            raise UntranslatableError("del of a name")
        container = self.say(target.value)
        return self.speaker.line("drop", container, self.say(target.slice), kind=container.type)

    def _expr(self, node: ast.Expr) -> list[str]:
        call = node.value
        if not isinstance(call, ast.Call):
            raise UntranslatableError("an expression statement that is not a call")
        if isinstance(call.func, ast.Attribute):
            container = self.say(call.func.value)
            if call.func.attr == "append" and container.type == "stack":
                return self.speaker.line("push", container, self.say(call.args[0]))
            raise UntranslatableError(f"a method {call.func.attr}")
        if isinstance(call.func, ast.Name) and call.func.id == "print":
            return self._print(call.args)
        return self.speaker.line("expression", self.say(call))

    def _print(self, nodes: list[ast.expr]) -> list[str]:
        parts = [self.say(node) for node in nodes]
        if not parts or any(part.type not in _FORMATS for part in parts):
            raise UntranslatableError("print of an unsupported type")
        self.target_types.features.add("print")
        shown = [self.speaker.text("printed", part, kind=part.type) for part in parts]
        formats = (self.speaker.rules.formats or _FORMATS[part.type] for part in parts)
        if self.speaker.rules.joins_printed and len(parts) > 1:
            shown = [part.within(5) if part.level > 5 else f"({part.text})" for part in parts]
        return self.speaker.line("print", self.speaker.text("between").join(shown), " ".join(formats))

    def _assign(self, node: ast.Assign) -> list[str]:
        (target,) = node.targets
        if isinstance(target, ast.Tuple):
            if not isinstance(node.value, ast.Tuple) or len(target.elts) != len(node.value.elts):
                raise UntranslatableError("unpacking of a value that is not a tuple")
            return self._together(target.elts, node.value.elts)
        if isinstance(target, ast.Name):
            return self._named(target.id, node.value)
        return self._put(target, self.say(node.value))

    def _annassign(self, node: ast.AnnAssign) -> list[str]:
        assert isinstance(node.target, ast.Name)
        assert node.value is not None
        return self._named(node.target.id, node.value)

    def _named(self, name: str, value: ast.expr) -> list[str]:
        if isinstance(value, ast.List):
            return self._listed(name, value)
        if isinstance(value, ast.Dict):
            return self._mapped(name, value)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "list":
            return self._copied(name, value.args[0])
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in self.say.records:
            return self._made(name, value)
        if popped := self._popped(name, value):
            return popped
        return self._set(name, self.say(value))

    def _set(self, name: str, piece: SpelledExpression) -> list[str]:
        """Assign a value to a name, declaring the name at its first use."""
        known = self.say.visible(name)
        if not known:
            if piece.type not in ("int", "bool", "char", "str"):
                raise UntranslatableError(f"a name for a {piece.type}")
            word = "let" if name in self.scope.changed or name in self._spares else "const"
            self.say.types[-1][name] = piece.type
            return self.speaker.line(word, name, self.target_types.typed(piece.type), piece, kind=piece.type)
        if known != piece.type or (known == "str" and not self.speaker.rules.reassigns_texts):
            raise UntranslatableError("a name changes its type")
        return self.speaker.line("set", name, piece)

    def _listed(self, name: str, value: ast.List) -> list[str]:
        if self.say.visible(name) or not all(kind_of(item) == "int" for item in value.elts):
            raise UntranslatableError("a list that is not of ints, or reassigns a name")
        kind = "stack" if name in self.scope.growing else "list"
        if not value.elts and kind == "list":
            raise UntranslatableError("an empty list")
        self.say.types[-1][name] = kind
        self.target_types.features.add(kind)
        size = str(len(value.elts))
        is_fixed = name not in self.scope.changed and self.speaker.can(f"const {kind}")
        items = self.say.joined(value.elts)
        return self.speaker.line(f"{'const' if is_fixed else 'let'} {kind}", name, items, size, str(MAX_LIST_ITEMS))

    def _mapped(self, name: str, value: ast.Dict) -> list[str]:
        if self.say.visible(name) or any(key is None for key in value.keys):
            raise UntranslatableError("a dict that reassigns a name")
        kind = "map" if value.keys else "charmap"
        self.say.types[-1][name] = kind
        self.target_types.features |= {kind, "str"} if kind == "map" else {kind}
        lines = self.speaker.line(f"let {kind}", name)
        for key, item in zip(value.keys, value.values, strict=True):
            lines += self.speaker.line("put", name, self._key(key), self.say(item), kind=kind)
        return lines

    def _key(self, node: ast.expr | None) -> SpelledExpression:
        """Translate the key of a map, which is a text."""
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            raise UntranslatableError("a key that is not a text")
        return self.speaker.expression("str", node.value, type="str")

    def _copied(self, name: str, value: ast.expr) -> list[str]:
        piece = self.say(value)
        if self.say.visible(name) or piece.type != "list" or name in self.scope.growing:
            raise UntranslatableError("a copy of a value that is not a list")
        self.say.types[-1][name] = "list"
        self.target_types.features.add("copy")
        return self.speaker.line("copy", name, piece)

    def _made(self, name: str, value: ast.Call) -> list[str]:
        assert isinstance(value.func, ast.Name)
        if self.say.visible(name):
            raise UntranslatableError("a record that reassigns a name")
        record, fields = value.func.id, self.say.records[value.func.id]
        self.say.types[-1][name] = f"record:{record}"
        items = [self.say(argument).text for argument in value.args]
        shown = (
            [self.speaker.text("fieldvalue", *pair) for pair in zip(fields, items, strict=True)]
            if self.speaker.can("fieldvalue")
            else []
        )
        word = "const" if name not in self.scope.changed and self.speaker.can("const record") else "let"
        return self.speaker.line(f"{word} record", name, record, ", ".join(items), ", ".join(shown))

    def _popped(self, name: str, value: ast.expr) -> list[str]:
        """Assign the popped element of a stack to a name."""
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or value.func.attr != "pop":
            return []
        container = self.say(value.func.value)
        if container.type != "stack":
            raise UntranslatableError("pop of a value that is not a list")
        if value.args:
            if ast.unparse(value.args[0]) != "0":
                raise UntranslatableError("pop from the middle")
            return self._taken(name, container, "shift", "takefirst")
        return self._taken(name, container, "pop", "takelast")

    def _taken(self, name: str, container: SpelledExpression, expression: str, statement: str) -> list[str]:
        """Assign a removed element, in one expression where the language has it."""
        if self.speaker.can(expression) or not self.speaker.can(statement):
            return self._set(name, self.speaker.expression(expression, container))
        if self.say.visible(name):
            return self.speaker.line(f"{statement}set", name, container)
        self.say.types[-1][name] = "int"
        return self.speaker.line(statement, name, container)

    def _put(self, target: ast.expr, piece: SpelledExpression) -> list[str]:
        """Assign a value to an item or a field."""
        if isinstance(target, ast.Attribute):
            return self.speaker.line("setfield", self.say(target.value), target.attr, piece)
        if not isinstance(target, ast.Subscript):
            raise UntranslatableError("an unsupported assignment target")
        container = self.say(target.value)
        if container.type in ("map", "charmap"):
            key = self._key(target.slice) if container.type == "map" else self.say(target.slice)
            return self.speaker.line("put", container, key, piece, kind=container.type)
        if container.type not in ("list", "stack") or piece.type != "int":
            raise UntranslatableError("an item of a value without items")
        return self.speaker.line("setat", container, self.say(target.slice), piece, kind=container.type)

    def _augassign(self, node: ast.AugAssign) -> list[str]:
        target, value = node.target, self.say(node.value)
        if isinstance(target, ast.Subscript) and self.say(target.value).type != "list":
            return self._put(target, self.say(ast.BinOp(_read(target), node.op, node.value)))
        whole = self.say(_read(target))
        if whole.type == "str" and isinstance(node.op, ast.Add):
            return self.speaker.line("augcat", whole, self.say.as_text(value))
        if whole.type != "int" or value.type != "int" or type(node.op) not in _AUGMENTED:
            return self._put_or_set(target, self.say(ast.BinOp(_read(target), node.op, node.value)))
        return self.speaker.line(_AUGMENTED[type(node.op)], whole, value)

    def _put_or_set(self, target: ast.expr, piece: SpelledExpression) -> list[str]:
        return self._set(target.id, piece) if isinstance(target, ast.Name) else self._put(target, piece)

    def _together(self, targets: list[ast.expr], values: list[ast.expr]) -> list[str]:
        """Assign several targets at once: in one statement, or through temporary names."""
        reads = [self.say(_read(target)) for target in targets]
        pieces = [self.say(value) for value in values]
        if any(old.type != new.type for old, new in zip(reads, pieces, strict=True)):
            raise UntranslatableError("a parallel assignment that changes types")
        if any(isinstance(item, ast.Subscript) and self.say(item.value).type != "list" for item in targets):
            raise UntranslatableError("a parallel assignment to items of a non-list")
        if self.speaker.can("together"):
            return self.speaker.line("together", *(", ".join(item.text for item in group) for group in (reads, pieces)))
        texts = [item.text for item in pieces]
        if len(reads) == 2 and texts == [reads[1].text, reads[0].text] and self.speaker.can("swap"):
            self.target_types.features.add("swap")
            return self.speaker.line("swap", *reads)
        return self._by_turns(targets, values, reads)

    def _by_turns(self, targets: list[ast.expr], values: list[ast.expr], reads: list[SpelledExpression]) -> list[str]:
        lines: list[str] = []
        saved: dict[str, str] = {}
        for at, (target, old) in enumerate(zip(targets, reads, strict=True)):
            mark = ast.dump(_read(target))
            later = [value for value, other in list(zip(values, targets, strict=True))[at + 1 :] if value is not other]
            moves = ast.dump(values[at]) != mark
            if moves and any(mark == ast.dump(part) for value in later for part in ast.walk(value)):
                saved[mark] = self._spare(old.type, len(saved) + 1)
                lines += self._set(saved[mark], old)
        for target, value in zip(targets, values, strict=True):
            if ast.dump(_read(target)) != ast.dump(value):
                lines += self._put_or_set(target, self.say(_Kept(saved).read(value)))
        return lines

    def _spare(self, kind: str, number: int) -> str:
        """Return an unused name for the `number`-th waiting value of a type."""
        for name in _SPARE.get(kind, ()):
            numbered = name if number == 1 else f"{name}{number}"
            if numbered not in self.scope.names:
                self._spares.add(numbered)
                return numbered
        raise UntranslatableError(f"no spare name for a {kind}")


class _Kept(ast.NodeTransformer):
    """Replaces expressions by the temporary names that hold their old values."""

    def __init__(self, saved: dict[str, str]) -> None:
        self._kept = saved

    def read(self, node: ast.expr) -> ast.expr:
        """Return a copy of an expression that reads the temporary names."""
        result = self.visit(_copy(node))
        assert isinstance(result, ast.expr)
        return result

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the node, or the temporary name that holds its value."""
        name = self._kept.get(ast.dump(node)) if isinstance(node, ast.expr) else None
        return ast.Name(name, ast.Load()) if name else self.generic_visit(node)


def _is_read(name: str, body: list[ast.stmt]) -> bool:
    """Return whether statements read a name; an augmented assignment reads its target."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    changed = (node.target for node in nodes if isinstance(node, ast.AugAssign))
    return any(
        isinstance(node, ast.Name) and node.id == name
        for node in (*changed, *(node for node in nodes if not isinstance(getattr(node, "ctx", None), ast.Store)))
    )


def _copy(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


def _read(target: ast.expr) -> ast.expr:
    """Return a target as an expression that is read."""
    return _copy(target)
