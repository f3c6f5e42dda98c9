"""A call in main's place, in C++ and Rust: written in the language itself, behind the program's own source.

The compiler then does what it would do with any caller: conversions, overloads, moves. What it refuses does not fit.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from .arguments import Misfit

NAME = "__wl_called"
_CPP = '\n#line 1 "worldline-call"\n' + Path(__file__).with_name("called.hpp").read_text()


def in_cpp(call: dict[str, Any]) -> str:
    """What stands behind a C++ source so that it is called."""
    function = call["function"]
    of = f"wl_signature<decltype({function})>::at"
    lines = [f'{_CPP}extern "C" void {NAME}() {{']
    for n, tree in enumerate(call["arguments"]):
        lines.append(f"    std::remove_cvref_t<{of}<{n}>> a{n} = {_cpp(tree)};")
    given = ", ".join(f"static_cast<{of}<{n}>>(a{n})" for n in range(len(call["arguments"])))
    return "\n".join([*lines, f"    {function}({given});", "}", ""])


def _cpp(tree: Any) -> str:
    kind, *inside = tree
    value: Any = inside[0] if inside else None
    if kind == "none":
        return "{}"
    if kind == "bool":
        return "true" if value else "false"
    if kind == "int":
        return f"{value}ull" if int(value) >= 1 << 63 else str(value)
    if kind == "float":
        return _float(value, "__builtin_inf()", '__builtin_nan("")')
    if kind in ("str", "bytes"):
        data = value.encode() if kind == "str" else bytes.fromhex(value)
        return f'wl_text{{"{"".join(f"{chr(92)}{byte:03o}" for byte in data)}", {len(data)}}}'
    if kind == "dict":
        return "{" + ", ".join(f"{{{_cpp(key)}, {_cpp(one)}}}" for key, one in value) + "}"
    return "{" + ", ".join(map(_cpp, value)) + "}"


def _float(text: str, infinite: str, nan: str) -> str:
    if "nan" in text:
        return nan
    return text.replace("inf", infinite) if "inf" in text else text


def in_rust(call: dict[str, Any], source: str) -> str:
    """What stands behind a Rust source so that it is called."""
    function = call["function"]
    types = _parameters(function, source)
    if len(types) != len(call["arguments"]):
        raise Misfit(
            f"{function} has {len(types)} parameters, and {len(call['arguments'])} arguments are given"
        )
    given = ", ".join(_rust(tree, kind) for tree, kind in zip(call["arguments"], types, strict=True))
    main = "" if re.search(r"\bfn\s+main\s*\(", source) else "fn main() {}\n"
    return f'\n#[no_mangle]\npub extern "C" fn {NAME}() {{ let _ = {function}({given}); }}\n{main}'


def _parameters(function: str, source: str) -> list[str]:
    begun = re.search(rf"\bfn\s+{re.escape(function)}\s*(?:<[^(]*>)?\s*\(", source)
    if begun is None:
        raise Misfit(f"there is no function {function}")
    parts = _split(source[begun.end() :])
    return [part.partition(":")[2].strip() for part in parts if part.strip()]


def _split(text: str) -> list[str]:
    """What stands between commas, up to the bracket that closes."""
    parts: list[str] = []
    depth = begin = 0
    for at, letter in enumerate(text):
        if letter in "([{<":
            depth += 1
        elif letter in ")]}" or (letter == ">" and text[at - 1] != "-"):
            depth -= 1
            if depth < 0:
                return [*parts, text[begin:at]]
        elif letter == "," and not depth:
            parts.append(text[begin:at])
            begin = at + 1
    return [*parts, text[begin:]]


def _rust(tree: Any, kind: str) -> str:
    """A value of a Rust type, as an expression."""
    kind = re.sub(r"^&'\w+ ", "&", kind.strip())
    name, _, rest = kind.partition("<")
    inner = _split(rest) if rest else []
    value: Any = tree[1] if len(tree) > 1 else None
    if kind == "&str":
        return _quoted(tree)
    if kind.startswith("&mut "):
        return f"&mut {_rust(tree, kind[5:])}"
    if kind.startswith("&"):
        return f"&{_rust(tree, kind[1:])}"
    name = name.strip().rpartition("::")[2]
    if name == "String":
        return f"String::from({_quoted(tree)})"
    if name == "Option":
        return "None" if tree[0] == "none" else f"Some({_rust(tree, inner[0])})"
    if name == "Box":
        return f"Box::new({_rust(tree, inner[0])})"
    if name == "char" and tree[0] == "str" and len(value) == 1:
        return f"'\\u{{{ord(value):x}}}'"
    if tree[0] in ("list", "tuple", "set") and name in ("Vec", "VecDeque", "HashSet", "BTreeSet"):
        items = ", ".join(_rust(one, inner[0]) for one in value)
        return f"vec![{items}]" if name == "Vec" else f"std::collections::{name}::from([{items}])"
    if tree[0] == "dict" and name in ("HashMap", "BTreeMap"):
        pairs = ", ".join(f"({_rust(key, inner[0])}, {_rust(one, inner[1])})" for key, one in value)
        return f"std::collections::{name}::from([{pairs}])"
    if tree[0] in ("list", "tuple") and kind.startswith("["):
        return f"[{', '.join(_rust(one, _split(kind[1:])[0].partition(';')[0]) for one in value)}]"
    if tree[0] in ("list", "tuple") and kind.startswith("("):
        return f"({''.join(_rust(one, part) + ', ' for one, part in zip(value, _split(kind[1:]), strict=False))})"
    if tree[0] == "bool" and name == "bool":
        return "true" if value else "false"
    if tree[0] in ("int", "float") and name in ("f32", "f64"):
        return _float(str(float(value)), f"{name}::INFINITY", f"{name}::NAN")
    if tree[0] == "int" and re.fullmatch(r"[iu](8|16|32|64|128|size)", name):
        return str(value)
    raise Misfit(f"{tree[0]} is no {kind}")


def _quoted(tree: Any) -> str:
    if tree[0] != "str":
        raise Misfit(f"{tree[0]} is no text")
    return (
        json.dumps(tree[1], ensure_ascii=False).replace("\\u00", "\\x")
        if tree[1].isprintable()
        else _escaped(tree[1])
    )


def _escaped(text: str) -> str:
    return '"' + "".join(f"\\u{{{ord(letter):x}}}" for letter in text) + '"'
