"""What every dataset must have run at least once: the language's forms, and the methods of its types. A fixed list."""

from __future__ import annotations

_FORMS = """
if; elif; if else; for; for else; while; while else; return; assign; augmented assign; annotated assign;
raise; try; try else; finally; except; with; assert; del; pass; break; continue; expression statement;
match; lambda; conditional; :=; yield; yield from; list comprehension; set comprehension;
dict comprehension; generator expression; comprehension if; comprehension nested; f-string; unpacking;
starred unpacking; chained assign; item assign; slice assign; attribute assign; chained comparison; call;
default argument; *args; **kwargs; keyword-only argument; annotations; decorator; global; nonlocal;
nested def; recursion; keyword argument; starred argument; double-starred argument
"""
_OPERATORS = """
+ - * / // % ** << >> | ^ & ~ not -x and or == != < <= > >= is is_not in not_in += -= *= //= %= **= |= &=
^= <<= >>= /=
"""
_METHODS = {
    "str": """
    capitalize casefold center count encode endswith expandtabs find format index isalnum isalpha
    isascii isdecimal isdigit isidentifier islower isnumeric isspace istitle isupper join ljust lower
    lstrip partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split
    splitlines startswith strip swapcase title translate upper zfill
    """,
    "list": "append clear copy count extend index insert pop remove reverse sort",
    "dict": "clear copy get items keys pop popitem setdefault update values",
    "set": """
    add clear copy difference discard intersection issubset issuperset isdisjoint remove
    symmetric_difference union update
    """,
    "tuple": "count index",
    "bytes": "decode hex",
    "int": "bit_length",
    "float": "is_integer",
}
_BUILTINS = """
abs all any bin bool chr dict divmod enumerate filter float hex int isinstance len list map max min next
oct ord pow print range repr reversed round set sorted str sum tuple zip
"""
_SUBSCRIPTS = """[i] [-i] | [i:] [:j] [i:j] [:] [-i:] [:-j] [::k] [::-k] [i::k] [i:j:k]"""
_LITERALS = """
single-quoted double-quoted escape raw bytes int hex binary float exponent triple-quoted underscored_int
unicode
"""
_FORMATS = "< > ^ sign 0 width precision group d f x b %"
_EXCEPTIONS = "ValueError KeyError IndexError TypeError ZeroDivisionError"
_EVENTS = "call line return raise yield resume output"


def _required() -> tuple[str, ...]:
    found = [form.strip() for form in _FORMS.split(";")]
    found += [f"op {mark.replace('_', ' ')}" for mark in _OPERATORS.split()]
    found += [f"method {kind}.{name}" for kind, names in _METHODS.items() for name in names.split()]
    found += [f"builtin {name}" for name in _BUILTINS.split()]
    indices, _, slices = _SUBSCRIPTS.partition("|")
    found += [f"index {shape}" for shape in indices.split()] + [f"slice {shape}" for shape in slices.split()]
    found += [f"literal {word.replace('_', ' ')}" for word in _LITERALS.split()]
    found += [f"format {word}" for word in _FORMATS.split()] + ["f-string !r"]
    found += [f"{what} {name}" for name in _EXCEPTIONS.split() for what in ("raised", "caught")]
    found += [f"event {name}" for name in _EVENTS.split()]
    return tuple(found)


REQUIRED = _required()
