"""Recognise the licence of a repository from its licence file. Nothing here judges what a licence permits."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from worldline.core.errors import DiskError
from worldline.storage import files

__all__ = ["licence_of"]

MAX_LICENCE_BYTES = 1 << 18
_NAMES = re.compile(r"(licen[cs]e|copying|unlicen[cs]e)([-._].*)?", re.IGNORECASE)
_OFFERS_CHOICE = re.compile(r"\beither\*? of (the|these) (two )?licen[cs]es", re.IGNORECASE)
_FOLDERS = ("", "LICENSES", "licenses", "license")
# The first phrase list that a text contains in full decides. Texts are compared in lower case with single spaces.
_PHRASES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("AGPL-3.0", ("gnu affero general public license", "version 3")),
    ("LGPL-3.0", ("gnu lesser general public license", "version 3, 29 june 2007")),
    ("LGPL-2.1", ("gnu lesser general public license", "version 2.1")),
    ("LGPL-2.0", ("gnu library general public license",)),
    ("GPL-3.0", ("gnu general public license", "version 3")),
    ("GPL-2.0", ("gnu general public license", "version 2")),
    ("MPL-2.0", ("mozilla public license", "version 2.0")),
    ("Apache-2.0", ("apache license", "version 2.0")),
    ("Apache-2.0", ("licensed under the apache license, version 2.0",)),
    ("PSF-2.0", ("python software foundation license",)),
    ("PSF-2.0", ("psf license agreement",)),
    ("Unlicense", ("this is free and unencumbered software released into the public domain",)),
    ("CC0-1.0", ("cc0 1.0 universal",)),
    ("BSL-1.0", ("boost software license",)),
    ("Zlib", ("this software is provided 'as-is', without any express or implied warranty", "altered source versions")),
    ("ISC", ("permission to use, copy, modify, and/or distribute this software for any purpose",)),
    ("ISC", ("permission to use, copy, modify, and distribute this software for any purpose with or without fee",)),
    ("MIT", ("permission is hereby granted, free of charge", 'the software is provided "as is"')),
    ("MIT", ("permission is hereby granted, free of charge", "without restriction")),
    ("BSD-3-Clause", ("redistribution and use in source and binary forms", "endorse or promote products derived")),
    ("BSD-2-Clause", ("redistribution and use in source and binary forms", "retain the above copyright notice")),
    ("MIT", ("the mit license",)),
)


def licence_of(repository: str | Path) -> tuple[str, str]:
    """Find the licence of a repository.

    Args:
        repository: Its folder. Files named LICENSE, LICENCE, COPYING or UNLICENSE are read, links are not followed.

    Returns:
        The SPDX identifier, and the texts of the files. Several licences are joined by `OR` if a text offers the
        choice, else by `AND`. The identifier is empty if no text is recognised.
    """
    texts = [text for path in _licence_files(Path(repository)) if (text := _text_of(path)).strip()]
    spdx = dict.fromkeys(name for text in texts if (name := _recognised(text)))
    joint = " OR " if any(_OFFERS_CHOICE.search(text) for text in texts) else " AND "
    return joint.join(spdx), "\n\n".join(text.strip("\n") + "\n" for text in texts)


def _licence_files(repository: Path) -> list[Path]:
    paths: list[Path] = []
    for inner in _FOLDERS:
        folder = repository / inner
        if folder.is_symlink() or not folder.is_dir():
            continue
        named = inner != ""
        paths += sorted(
            path
            for path in folder.iterdir()
            if path.is_file() and (named or _NAMES.fullmatch(path.name)) and path.suffix not in (".py", ".pyc", ".spdx")
        )
    return paths


def _text_of(path: Path) -> str:
    with suppress(OSError, DiskError):
        data = files.read(path, limit=MAX_LICENCE_BYTES)
        if data is not None and len(data) <= MAX_LICENCE_BYTES:
            return data.decode("utf-8", "replace")
    return ""


def _recognised(text: str) -> str:
    # Quotation marks, asterisks and line breaks differ between copies of one licence.
    plain = re.sub(
        r"[\s*]+", " ", text.lower().replace("``", '"').replace("''", '"').replace("“", '"').replace("”", '"')
    )
    for spdx, phrases in _PHRASES:
        if all(phrase in plain for phrase in phrases) and _is_the_text_itself(plain, spdx):
            return spdx
    return ""


def _is_the_text_itself(plain: str, spdx: str) -> bool:
    """Whether a GNU licence is the text and not only named, as Python's and Mozilla's licences name the GPL."""
    if "GPL" not in spdx:
        return True
    first = plain.find("gnu ")
    return first < 2000 and "mozilla public license" not in plain[:500] and "python software foundation" not in plain
