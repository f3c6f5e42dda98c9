"""Licences are recognised from their texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldline.recording.repository.licence import licence_of

pytestmark = pytest.mark.unit

MIT = (
    'Permission is hereby granted, free of charge, to all\n... without restriction ... THE SOFTWARE IS PROVIDED "AS IS"'
)
BSD2 = "Redistribution and use in source and binary forms\n... retain the above copyright notice"
TEXTS = {
    "MIT": MIT,
    "BSD-2-Clause": BSD2,
    "BSD-3-Clause": BSD2 + "\n may be used to endorse or promote products derived from",
    "Apache-2.0": "   Apache License\n   Version 2.0, January 2004",
    "ISC": "Permission to use, copy, modify, and/or distribute this software\nfor any purpose with or without fee",
    "PSF-2.0": "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2 ... GNU General Public License version 2",
    "MPL-2.0": "Mozilla Public License Version 2.0 ... GNU General Public License, Version 2.0",
    "Unlicense": "This is free and unencumbered software released into the public domain.",
    "GPL-2.0": "GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991",
    "GPL-3.0": "GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007",
    "LGPL-2.1": "GNU LESSER GENERAL PUBLIC LICENSE\n Version 2.1, February 1999",
    "LGPL-3.0": "GNU LESSER GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007 ... GNU General Public License",
    "AGPL-3.0": "GNU AFFERO GENERAL PUBLIC LICENSE\n Version 3, 19 November 2007",
}


@pytest.mark.parametrize("name", ["LICENSE", "LICENCE", "COPYING", "LICENSE.txt", "license.md"])
@pytest.mark.parametrize("spdx", TEXTS)
def test_a_text_is_recognised_under_every_name(tmp_path: Path, name: str, spdx: str) -> None:
    (tmp_path / name).write_text(TEXTS[spdx])
    assert licence_of(tmp_path) == (spdx, TEXTS[spdx] + "\n")


def test_several_licences_are_all_required_unless_there_is_a_choice(tmp_path: Path) -> None:
    (tmp_path / "LICENSE.APACHE").write_text(TEXTS["Apache-2.0"])
    (tmp_path / "LICENSE.BSD").write_text(BSD2)
    assert licence_of(tmp_path)[0] == "Apache-2.0 AND BSD-2-Clause"
    (tmp_path / "LICENSE").write_text("made available under the terms of *either* of the licenses found")
    assert licence_of(tmp_path)[0] == "Apache-2.0 OR BSD-2-Clause"


def test_an_unknown_text_is_kept_without_a_name(tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("All rights reserved.")
    assert licence_of(tmp_path) == ("", "All rights reserved.\n")


def test_no_licence(tmp_path: Path) -> None:
    (tmp_path / "licenses_of_others.py").write_text(MIT)
    (tmp_path / "LICENSE").symlink_to("/etc/hostname")
    assert licence_of(tmp_path) == ("", "")
