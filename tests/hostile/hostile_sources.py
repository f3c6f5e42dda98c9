"""Hostile source texts (item 54): bytes that a stored file would not keep, as a table made here."""

from __future__ import annotations

from dataclasses import dataclass

from hostile_header import Header, parse


@dataclass(frozen=True)
class Case:
    """A source as bytes, and its header, which is not part of it (so line numbers are the source's own)."""

    name: str
    data: bytes
    facts: str

    @property
    def header(self) -> Header:
        """The parsed header."""
        return parse(self.facts)


LONG_LINE = b"x = '" + b"wide " * 200_000 + b"'; z = 1\ny = len(x)\nprint(y)\n"
MANY_LINES = b"# nothing to see on this line, nor on any of the next ones\n" * 170_000 + b"x = 1\nprint(x)\n"

CASES = (
    Case("empty", b"", "# outcome: returned\n# steps: >= 0"),
    Case("blank", b"\n\n   \n\t\n", "# outcome: returned\n# steps: >= 0"),
    Case("comment", b"# only this", "# outcome: returned\n# steps: >= 0"),
    Case("no_newline", b"x = 1\nprint(x)", "# outcome: returned\n# delta: x=1\n# lines: <module> 1 2"),
    Case("crlf", b"x = 1\r\ny = '''a\r\nb'''\r\nprint(x)\r\n",
         "# outcome: returned\n# delta: y='a\\nb'\n# lines: <module> 1 2 4"),
    Case("cr", b"x = 1\ry = 2\rprint(x + y)\r", "# outcome: returned\n# delta: y=2\n# lines: <module> 1 2 3"),
    Case("bom", b"\xef\xbb\xbfx = 1\nprint(x)\n", "# outcome: returned\n# delta: x=1\n# lines: <module> 1 2"),
    Case("tabs", b"if True:\n\tx = 1\n\tif x:\n\t\ty = 2\nprint(x, y)\n",
         "# outcome: returned\n# delta: y=2"),
    Case("mixed_tabs", b"if True:\n\tx = 1\n        y = 2\n", "# outcome: unsupported source\n# steps: >= 0"),
    Case("form_feed", b"x = 1\n\x0c\ny = 2\n\x0cprint(y)\n",
         "# outcome: returned\n# delta: y=2\n# lines: <module> 1 3 4"),
    Case("separators", "x = '\u2028\x85\x1c'\ny = 2\nprint(len(x), y)\n".encode(),
         "# outcome: returned\n# delta: x='\\u2028\\x85\\x1c'\n# lines: <module> 1 2 3"),
    Case("nul", b"x = 1\n\x00y = 2\nprint(x)\n", "# outcome: unsupported source\n# steps: >= 0"),
    Case("control_z", b"x = 1\nprint(x)\n\x1a\n", "# outcome: unsupported source\n# steps: >= 0"),
    Case("not_utf8", b"x = '\xe9\xff'\nprint(len(x))\n", "# outcome: unsupported source\n# steps: >= 0"),
    Case("coding_latin1", b"# -*- coding: latin-1 -*-\nx = '\xe9'\nprint(len(x))\n",
         "# outcome: returned\n# delta: x='\u00e9'\n# lines: <module> 2 3"),
    Case("coding_utf8", "# coding: utf-8\nx = '\u00e9'\nprint(len(x))\n".encode(),
         "# outcome: returned\n# delta: x='\u00e9'\n# lines: <module> 2 3"),
    Case("coding_unknown", b"# coding: klingon\nx = 1\n", "# outcome: usage"),
    Case("syntax_error", b"x = 1\ndef f(:\n    pass\n", "# outcome: unsupported source\n# steps: >= 0"),
    Case("indentation_error", b"x = 1\n    y = 2\n", "# outcome: unsupported source\n# steps: >= 0"),
    Case("nested_too_deep", b"(" * 300 + b")" * 300, "# outcome: unsupported source\n# steps: >= 0"),
    Case("backslashes", b"x = 1 + \\\n    2\ny = (x\n     + 1)\nprint(y)\n",
         "# outcome: returned\n# delta: y=4"),
    Case("future", b"from __future__ import annotations\ndef f(a: nope): return a\nx = f(1)\nprint(x)\n",
         "# outcome: returned\n# delta: x=1"),
    Case("one_long_line", LONG_LINE, "# outcome: returned\n# delta: y=1000000\n# lines: <module> 1 2 3"),
    Case("ten_megabytes", MANY_LINES,
         "# outcome: returned\n# delta: x=1\n# lines: <module> 170001 170002"),
)  # fmt: skip
