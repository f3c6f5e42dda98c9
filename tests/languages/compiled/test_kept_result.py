"""aarch64 keeps the address of a result on the stack: prologues as rustc and gcc print them are followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldline.recording.guests.compiled.assembly.kept_result import IN_REGISTER, UNKNOWN, kept_result

SMALL = """
	.cfi_startproc
	sub	sp, sp, #96
	.cfi_def_cfa_offset 96
	stp	x29, x30, [sp, #80]             // 16-byte Folded Spill
	add	x29, sp, #80
	.cfi_def_cfa w29, 16
	str	x8, [sp, #8]                    // 8-byte Folded Spill
	mov	x8, x0
"""
# The frame's base is set before the stack pointer goes further down, which no directive says.
LARGE = """
	.cfi_startproc
	stp	x29, x30, [sp, #-32]!           // 16-byte Folded Spill
	.cfi_def_cfa_offset 32
	str	x28, [sp, #16]                  // 8-byte Folded Spill
	mov	x29, sp
	.cfi_def_cfa w29, 32
	.cfi_offset w28, -16
	.cfi_offset w30, -24
	.cfi_offset w29, -32
	sub	sp, sp, #1024
	str	x8, [sp, #40]                   // 8-byte Folded Spill
	ldr	x8, [x0]
"""
PROBED = """
	stp	x29, x30, [sp, #-32]!
	str	x28, [sp, #16]
	mov	x29, sp
	sub	x9, sp, #4, lsl #12             // =16384
.LBB3_1:
	sub	sp, sp, #1, lsl #12             // =4096
	cmp	sp, x9
	str	xzr, [sp]
	b.ne	.LBB3_1
	sub	sp, sp, #512
	str	x8, [sp, #16]
	adrp	x8, .L__unnamed_1
"""
NUMBERS = """
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	mov	w9, #34464
	movk	w9, #1, lsl #16
	sub	sp, sp, x9
	stp	x0, x8, [sp, #24]
	mov	w8, wzr
"""
FROM_BASE = """
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	sub	sp, sp, #48
	stur	x8, [x29, #-24]
	add	x8, sp, #8
"""
OF_GCC = """
	sub	sp, sp, #64
	stp	x29, x30, [sp, 48]
	add	x29, sp, 48
	str	x8, [sp, 24]
	mov	x8, 3
"""


@pytest.mark.parametrize(
    ("prologue", "place"),
    [
        (SMALL, 96 - 8),
        (LARGE, 32 + 1024 - 40),
        (PROBED, 32 + 4 * 4096 + 512 - 16),
        (NUMBERS, 32 + 100000 - 24 - 8),
        (FROM_BASE, 16 + 24),
        (OF_GCC, 64 - 24),
    ],
    ids=["small", "large", "probed", "numbers", "base", "gcc"],
)
def test_the_place_is_where_the_stack_pointer_really_is(prologue: str, place: int) -> None:
    assert kept_result(prologue.split("\n")) == place


def test_a_register_that_nothing_else_needs_holds_it_still() -> None:
    assert kept_result(["\tsub\tsp, sp, #32", "\tstr\tx8, [sp, #8]", "\tstr\tx0, [sp, #16]"]) == IN_REGISTER


@pytest.mark.parametrize(
    "prologue",
    [
        "\tmov\tx8, x0",
        "\tldp\tx9, x8, [x0]",
        "\tbl\tprobe",
        "\tand\tsp, x9, #0xffffffffffffffe0\n\tstr\tx8, [sp, #8]\n\tmov\tx8, x0",
        "\tsub\tsp, sp, x9\n\tstr\tx8, [sp, #8]\n\tmov\tx8, x0",
    ],
    ids=["overwritten", "pair", "call", "aligned", "unknown size"],
)
def test_what_cannot_be_followed_is_unknown(prologue: str) -> None:
    assert kept_result(prologue.split("\n")) == UNKNOWN


@pytest.mark.parametrize(("name", "place"), [("fill", 32 + 2736 - 64), ("huge", 32 + 7 * 4096 + 96 - 40)])
def test_what_rustc_prints_for_a_large_frame_is_followed(name: str, place: int) -> None:
    """Of `prologues/large_frames.rs`, by rustc 1.63 as the recorder calls it, for aarch64-unknown-linux-gnu.

    No directive says that the stack pointer goes further down after `mov x29, sp`.
    """
    text = (Path(__file__).parent / "prologues" / f"{name}.s").read_text()
    assert ".cfi_def_cfa w29, 32" in text
    assert kept_result(text.splitlines()) == place
