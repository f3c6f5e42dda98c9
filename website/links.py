"""Links of a page that lead out of docs/: to a page that the site shows as well, to the repository, or nowhere.

It rewrites text; it reads no files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping

FENCE = re.compile(r"(^( *)(`{3,})[^\n]*\n.*?^\2\3$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[((?:`[^`]*`|[^\[\]`]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
API_NAME = re.compile(r"(?<!\[)`worldline\.((?:plan\.)?\w+)`")


def outside_fences(text: str, change: Callable[[str], str]) -> str:
    """Change the text of a page, but not its blocks of code."""
    parts, start = [], 0
    for match in FENCE.finditer(text):
        parts += [change(text[start : match.start()]), match[0]]
        start = match.end()
    return "".join([*parts, change(text[start:])])


def relink(text: str, *, source: str, page: str, pages: Mapping[str, str], repository: str = "") -> str:
    """Rewrite the relative links of a page.

    Args:
        text: The page's Markdown.
        source: Where the page lies in the repository.
        page: Where the site has it.
        pages: Where the site has each file that it shows, by its place in the repository.
        repository: Address of the repository; without one, a link to a file that the site lacks becomes its text.
    """

    def target(match: re.Match[str]) -> str:
        mark, label, link = match.groups()
        path, hash_mark, anchor = link.partition("#")
        if ":" in link or not path:
            return match[0]
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if wanted in pages:
            place = posixpath.relpath(pages[wanted], posixpath.dirname(page) or ".")
            return f"{mark}[{label}]({place}{hash_mark}{anchor})"
        return f"[{label}]({repository}/blob/HEAD/{wanted})" if repository else label

    return outside_fences(text, lambda part: LINK.sub(target, part))


def link_api_names(text: str, names: frozenset[str]) -> str:
    """Make `worldline.NAME` a link to its reference, where it stands as code outside a link."""

    def reference(match: re.Match[str]) -> str:
        return f"[{match[0]}][worldline.{match[1]}]" if match[1] in names else match[0]

    return outside_fences(text, lambda part: API_NAME.sub(reference, part))
