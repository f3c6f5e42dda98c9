"""The page as one HTML text: its modules and styles inside it, and a policy that lets nothing else run.

Modules become data: addresses of an import map; only the two inline scripts that are named here by their hashes may
start, and what they add. Which data stand in the page is `bundle`'s.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import lru_cache

from worldline.core.errors import UsageError
from worldline.ui.web.static_files import static_files

START, END = "start", "end"  # the page before its data, and behind them
_SHEET = re.compile(r'[ \t]*<link rel="stylesheet" href="\./([a-z_]+\.css)">\n')
_ICON = re.compile(r'<link rel="icon" href="\./([a-z_]+\.svg)" type="image/svg\+xml">')
_ENTRY = re.compile(r'[ \t]*<script type="module" src="\./([a-z_]+\.js)"></script>\n')
_IMPORT = re.compile(r'\b(from\s+|import\s+|import\(\s*)(["\'])\./([a-z_]+\.js)\2')
_RELATIVE = re.compile(r'\b(?:from|import)\s*\(?\s*["\']\.')
_CHARSET = '<meta charset="utf-8">\n'
FIRST = "bundle_start.js"


def page(part: str) -> bytes:
    """The page up to where its data begin, or what follows them."""
    whole = _whole()
    before, mark, behind = whole.partition("</body>")
    if not mark:
        raise UsageError("the page has no end of its body")
    return before.encode() if part == START else (mark + behind).encode()


@lru_cache(maxsize=1)
def _whole() -> str:
    texts = {name.lstrip("/"): file.data.decode() for name, file in static_files().items() if name != "/"}
    html = texts["index.html"]
    entry = _only(_ENTRY, html)
    styles = "".join(texts[name] for name in _SHEET.findall(html))
    scripts = [(f' data-entry="{entry}"', texts[FIRST]), (' type="importmap"', _import_map(texts))]
    for text in (styles, *(text for _, text in scripts)):
        if re.search(r"</(?:script|style)|<!--", text, re.IGNORECASE):
            raise UsageError("a file of the page holds the end of a script: it cannot stand inside one")
    inline = "".join(f"<script{kind}>{text}</script>\n" for kind, text in scripts)
    html = _SHEET.sub("", html)
    html = _ICON.sub(
        lambda found: f'<link rel="icon" href="{_address(texts[found[1]], "image/svg+xml")}">', html
    )
    html = html.replace(_CHARSET, f"{_CHARSET}  {_policy([text for _, text in scripts], styles)}\n", 1)
    return _ENTRY.sub(lambda _: f"<style>{styles}</style>\n{inline}", html)


def _import_map(texts: dict[str, str]) -> str:
    """Every module by a name that does not depend on where the page lies."""
    modules = {
        name: _bare(name, text) for name, text in texts.items() if name.endswith(".js") and name != FIRST
    }
    addresses = {
        f"worldline/{name}": _address(text, "text/javascript") for name, text in sorted(modules.items())
    }
    return json.dumps({"imports": addresses}, separators=(",", ":"))


def _bare(name: str, text: str) -> str:
    """A module whose imports are names of the map: a data: address has no neighbours."""
    found = _IMPORT.sub(lambda match: f"{match[1]}{match[2]}worldline/{match[3]}{match[2]}", text)
    if _RELATIVE.search(found):
        raise UsageError(f"{name} imports by a path that a bundle does not know")
    return found


def _address(text: str, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"


def _policy(scripts: list[str], styles: str) -> str:
    """A policy by which nothing runs that is not named here, and nothing is fetched from anywhere.

    `strict-dynamic` passes the trust on to what these scripts themselves add, not to tags in the page.
    """
    named = " ".join(_hash(text) for text in scripts)
    rules = (
        f"default-src 'none'; script-src 'strict-dynamic' {named}; style-src {_hash(styles)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _only(pattern: re.Pattern[str], html: str) -> str:
    found: list[str] = pattern.findall(html)
    if len(found) != 1:
        raise UsageError("the page starts by one module")
    return found[0]
