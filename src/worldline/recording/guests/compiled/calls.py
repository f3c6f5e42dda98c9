"""Append a call in place of main to a C++ or Rust source, written in the language itself.

The compiler treats it like any caller, with conversions, overloads and moves. What it refuses does
not fit.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from .arguments import Misfit, miscounted

NAME = "__wl_called"
_FILE = "worldline-call"
_CPP = f'\n#line 1 "{_FILE}"\n' + Path(__file__).with_name("called.hpp").read_text()
_ERROR = re.compile(rf"^{_FILE}:(\d+):\d+: error: (.*)$", re.M)
_COUNTS = re.compile(r"reduces to .\((\d+) == \d+\).")
_TYPE = re.compile(r"wl_plain<.*>. \{aka .(.*?).\}")


def append(name: str, text: str) -> None:
    """Append a call to a source file."""
    with open(name, "a", encoding="utf-8", newline="") as file:
        file.write(text)


def in_cpp(call: dict[str, Any]) -> str:
    """Return the C++ code that makes the call, with one line per argument."""
    # The program's own, also where `using namespace std` has brought another of its name.
    function, trees = f"::{call['function']}", call["arguments"]
    of = f"wl_signature<decltype({function})>"
    lines = [f'{_CPP}extern "C" int {NAME}() {{ static_assert({of}::count == {len(trees)}, "arguments");']
    for n, tree in enumerate(trees):
        lines.append(f"    wl_plain<{of}::at<{n}>> a{n} = {_cpp(tree, True)};")
    names = ", ".join(f"static_cast<{of}::at<{n}> &&>(a{n})" for n in range(len(trees)))
    return "\n".join([*lines, f"    {function}({names});", "    return 0;", "}", ""])


def misfit_in_cpp(call: dict[str, Any], message: str) -> str | None:
    """Return what is wrong with a call from the compiler message; None if the program itself is wrong."""
    error = _ERROR.search(message)
    if error is None:
        return None
    function, count = call["function"], len(call["arguments"])
    if "overloaded" in error[2]:
        return f"{function} is overloaded or a template, and a call cannot say which is meant"
    at = int(error[1]) - _CPP.count("\n") + 1  # 0 is the line of the function's type, then one an argument
    if at < 1 and (counts := _COUNTS.search(message)):
        return miscounted(function, int(counts[1]), count)
    if at < 1:
        return f"there is no function {function}"
    reason, at = error[2], min(at, count)
    if wanted := _TYPE.search(reason):
        kind, *value = call["arguments"][at - 1]
        holds = wanted[1].replace("std::__cxx11::basic_string<char>", "std::string")
        reason = f"{value[0] if kind in ('int', 'float') else kind} is no {holds}"
    return f"argument {at} of {function} does not fit: {reason}"


def _cpp(tree: Any, strict: bool) -> str:
    """A value as an expression; in a list the language itself lets no number be cut, elsewhere (`strict`) we do."""
    kind, *inside = tree
    value: Any = inside[0] if inside else None
    if kind == "none":
        return "wl_none{}"
    if kind in ("bool", "int"):
        text = _whole(value) if kind == "int" else "true" if value else "false"
        return f"wl_whole<{text}>{{}}" if strict else text
    if kind == "float":
        text = _float(value, "__builtin_inf()", '__builtin_nan("")')
        return f"wl_real{{{text}}}" if strict else text
    if kind in ("str", "bytes"):
        data = value.encode() if kind == "str" else bytes.fromhex(value)
        return f'wl_text<{len(data)}>{{"{"".join(f"{chr(92)}{byte:03o}" for byte in data)}"}}'
    if kind == "dict":
        return "{" + ", ".join(f"{{{_cpp(key, True)}, {_cpp(item, True)}}}" for key, item in value) + "}"
    return "{" + ", ".join(_cpp(item, kind == "tuple") for item in value) + "}"


def _whole(text: str) -> str:
    value = int(text)
    if not -(1 << 63) <= value < 1 << 64:
        raise Misfit(f"{text} has more than 64 bits")
    if value == -(1 << 63):
        return f"(-{(1 << 63) - 1}ll - 1)"
    return f"{value}ull" if value >= 1 << 63 else f"{value}"


def _float(text: str, infinite: str, nan: str) -> str:
    if "nan" in text:
        return nan
    return text.replace("inf", infinite) if "inf" in text else text


def in_rust(call: dict[str, Any], source: str) -> str:
    """Return the Rust code that makes the call."""
    function = call["function"]
    types = _parameters(function, source)
    if len(types) != len(call["arguments"]):
        raise Misfit(miscounted(function, len(types), len(call["arguments"])))
    arguments = ", ".join(_rust(tree, kind) for tree, kind in zip(call["arguments"], types, strict=True))
    main = "" if re.search(r"\bfn\s+main\s*\(", source) else "fn main() {}\n"
    run = f"std::panic::catch_unwind(|| {{ let _ = {function}({arguments}); }})"  # as main itself is run
    return f'\n#[no_mangle]\npub extern "C" fn {NAME}() -> i32 {{ if {run}.is_ok() {{ 0 }} else {{ 101 }} }}\n{main}'


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
        items = ", ".join(_rust(item, inner[0]) for item in value)
        return f"vec![{items}]" if name == "Vec" else f"std::collections::{name}::from([{items}])"
    if tree[0] == "dict" and name in ("HashMap", "BTreeMap"):
        pairs = ", ".join(f"({_rust(key, inner[0])}, {_rust(item, inner[1])})" for key, item in value)
        return f"std::collections::{name}::from([{pairs}])"
    if tree[0] in ("list", "tuple") and kind.startswith("["):
        return f"[{', '.join(_rust(item, _split(kind[1:])[0].partition(';')[0]) for item in value)}]"
    if tree[0] in ("list", "tuple") and kind.startswith("("):
        return f"({''.join(_rust(item, part) + ', ' for item, part in zip(value, _split(kind[1:]), strict=False))})"
    if tree[0] == "bool" and name == "bool":
        return "true" if value else "false"
    if tree[0] in ("int", "float") and name in ("f32", "f64"):
        return _float(str(float(value)), f"{name}::INFINITY", f"{name}::NAN")
    if tree[0] == "int" and (width := re.fullmatch(r"([iu])(8|16|32|64|128|size)", name)):
        return _within(int(value), width[1] == "i", 64 if width[2] == "size" else int(width[2]), name)
    raise Misfit(f"{tree[0]} is no {kind}")


def _within(value: int, signed: bool, bits: int, name: str) -> str:
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if least <= value <= most:
        return str(value)
    raise Misfit(f"{value} is no {name}")


def _quoted(tree: Any) -> str:
    if tree[0] != "str":
        raise Misfit(f"{tree[0]} is no text")
    return (
        json.dumps(tree[1], ensure_ascii=False).replace("\\u00", "\\x") if tree[1].isprintable() else _escaped(tree[1])
    )


def _escaped(text: str) -> str:
    return '"' + "".join(f"\\u{{{ord(letter):x}}}" for letter in text) + '"'
