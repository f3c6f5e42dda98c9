"""Decide which flags of a compiler or a virtual machine a program may have, and say why not the others.

The recorder chooses how a program is compiled: it reads unoptimized code and its debug information, and
links its own runtime. A flag is accepted if it leaves that intact. Nothing is executed here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from worldline.core.errors import UsageError
from worldline.core.program import Program

_OPTIMIZED = "optimized code has no steps for some lines and no values for some variables; leave it out"
_DEBUG = "the recorder chooses the debug information that it reads; leave it out"
_OUTPUT = "the recorder chooses what the compiler writes; leave it out"
_LINKED = "the recorder links the program with its own runtime; leave it out"
_TRACED = "it instruments the program, as the recorder does; leave it out"
_LIBRARY = "name the library with --library PATH"
_AGENT = "other tools inside the program would see the recorder's own code; leave it out"
_MACHINE = "the recorder chooses how the virtual machine runs; leave it out"
_UNKNOWN = "it is not among the flags that leave the recording intact; leave it out"
_NOT_A_FLAG = "a flag starts with `-`; name another source with --file"
_TWO_WORDS = "write the flag and its value in one word, such as -Ifolder or --edition=2018"


@dataclass(frozen=True)
class FlagRules:
    """The flags of one tool: those that are accepted, and why others are not."""

    tool: str
    accepted: re.Pattern[str]
    refused: tuple[tuple[re.Pattern[str], str], ...]

    def refusal(self, flag: str) -> str:
        """Return why a flag is not accepted and what to do; empty if it is accepted."""
        if not flag.startswith("-"):
            return _NOT_A_FLAG
        if re.match(r"(-[A-Za-z]|--[a-z-]+)\s", flag):
            return _TWO_WORDS
        if self.accepted.fullmatch(flag):
            return ""
        return next((reason for pattern, reason in self.refused if pattern.fullmatch(flag)), _UNKNOWN)


def _rules(tool: str, accepted: str, refused: Mapping[str, str]) -> FlagRules:
    patterns = tuple((re.compile(pattern, re.VERBOSE), reason) for pattern, reason in refused.items())
    return FlagRules(tool, re.compile(accepted, re.VERBOSE | re.DOTALL), patterns)


def _c_rules(tool: str) -> FlagRules:
    return _rules(
        tool,
        r"""-std=\S+ | -ansi | -pedantic(-errors)? | -w | -W(?![alp],)\S+ | -[DUILl].+ | -pthread | -O0 | -g
        | -m(arch|tune)=\S+ | -m(no-)?(sse|avx|fma|bmi|popcnt|aes|lzcnt)\S*
        | -f(no-)?(wrapv|signed-char|unsigned-char|short-enums|permissive|rtti|exceptions|concepts|coroutines|char8_t
            |ms-extensions|plan9-extensions|strict-aliasing|freestanding|builtin|gnu89-inline|common|openmp-simd)""",
        {
            r"-O.*": _OPTIMIZED,
            r"-g.+ | -f(no-)?(debug|var-tracking|dwarf|eliminate).* | -s": _DEBUG,
            r"-o.* | -[cSEr] | -M.* | -shared | -fsyntax-only | -save-temps.* | -fdump.*": _OUTPUT,
            r"-Wl,.* | -static.* | -(no-)?pie | -f(no-)?(pic|PIC|pie|PIE|lto).* | -nost.* | -nodef.* | -mx?32": _LINKED,
            r"-f(no-)?(sanitize|instrument|profile|stack|split-stack).* | -pg? | --coverage": _TRACED,
        },
    )


_JAVA_MODULES = r"--add-(modules|exports|opens|reads)=\S+"
COMPILER_RULES: Mapping[str, FlagRules] = {
    "c": _c_rules("gcc"),
    "cpp": _c_rules("g++"),
    "rust": _rules(
        "rustc",
        r"""--edition=\d+ | --cfg=.+ | --check-cfg=.+ | -[AWDF][\w:-]+ | --(allow|warn|deny|forbid)=[\w:-]+ | -g
        | -C(overflow-checks|debug-assertions|target-cpu|target-feature)=\S+ | -Copt-level=0""",
        {
            r"-O | -Copt-level=.* | -Cinline-threshold.*": _OPTIMIZED,
            r"-C(debuginfo|strip|split-debuginfo).*": _DEBUG,
            r"--emit.* | -o.* | --out-dir.* | --crate-(type|name).* | --test | --print.*": _OUTPUT,
            r"-C(panic|link|lto|prefer-dynamic|codegen|relocation|linker|force|no-redzone).* | --target.*": _LINKED,
            r"-C(instrument|profile).* | -Z.*": _TRACED,
            r"-[Ll].* | --extern.* | --sysroot.*": _LIBRARY,
        },
    ),
    "java": _rules(
        "javac",
        rf"--release=\d+ | --enable-preview | -parameters | -Xlint(:\S+)? | -Werror | -deprecation | -nowarn | -g "
        rf"| {_JAVA_MODULES}",
        {
            r"-g:.*": _DEBUG,
            r"-[dsh].* | -implicit.* | -Xdiags.*": _OUTPUT,
            r"-cp.* | -classpath.* | --(class|module|source)-path.* | -p | -(source|boot)path.*": _LIBRARY,
            r"-proc.* | --processor.* | -Xplugin.* | -J.*": _TRACED,
        },
    ),
}
"""The compilers that take flags, by language."""

VM_RULES: Mapping[str, FlagRules] = {
    "java": _rules(
        "java",
        rf"""-(ea|da|enableassertions|disableassertions)(:\S+)? | -[ed]sa | -(en|dis)ablesystemassertions
        | -D(?!worldline|java\.io\.tmpdir|java\.class\.path|file\.encoding)\S+ | -X(ss|ms|mx)\d+[kKmMgG]? | -Xint
        | --enable-preview | {_JAVA_MODULES}""",
        {
            r"-(javaagent|agentlib|agentpath|Xdebug|Xrun).*": _AGENT,
            r"-cp.* | -classpath.* | --(class|module)-path.* | -p | -jar": _LIBRARY,
            r"-X.* | -D.* | -server | -client": _MACHINE,
        },
    ),
    "js": _rules(
        "node",
        r"""--max-old-space-size=\d+ | --(no-)?warnings | --(no-|throw-|trace-|pending-)deprecation | --trace-warnings
        | --unhandled-rejections=\w+ | --expose-gc | --disable-proto=\w+ | --(no-)?harmony[\w-]* | --conditions=\S+
        | --(no-)?experimental-(?!vm-modules|loader|policy|test|strip|transform)[\w-]+ | --preserve-symlinks""",
        {
            r"-r.* | --(require|import|loader|experimental-loader|inspect|(cpu-|heap-)?prof|test|watch).*": _AGENT,
            r"--(stack-size|jitless|use-strict|experimental|v8|snapshot|build-snapshot).*": _MACHINE,
        },
    ),
}
"""The virtual machines that take flags, by language."""


def flags_refusal(program: Program) -> str:
    """Return why the recorder does not execute a program with its flags; empty if it does."""
    lang = program.lang
    vm_rules = VM_RULES.get(program.language) or VM_RULES.get(lang.extends)
    tools = (
        ("--flag", program.flags, COMPILER_RULES.get(program.language), "compiler"),
        ("--vm-flag", program.vm_flags, vm_rules, "virtual machine"),
    )
    for option, flags, rules, tool in tools:
        if flags and rules is None:
            other = _other_option(option, program)
            return f"{option}={flags[0]}: {lang.title} has no {tool} that takes flags; leave it out{other}"
        for flag in flags:
            if rules is not None and (reason := rules.refusal(flag)):
                return f"{option}={flag}: {rules.tool} does not get this flag: {reason}"
    return ""


def _other_option(option: str, program: Program) -> str:
    rules = VM_RULES if option == "--flag" else COMPILER_RULES
    if program.language in rules or program.lang.extends in rules:
        return f", or use {'--vm-flag' if option == '--flag' else '--flag'}"
    return ""


def with_flags(program: Program, flags: Iterable[str], vm_flags: Iterable[str]) -> Program:
    """Return a program with flags of the compiler and of the virtual machine.

    Args:
        program: The program.
        flags: The flags of its compiler.
        vm_flags: The flags of its virtual machine.

    Raises:
        UsageError: A flag is not accepted.
    """
    changed = replace(program, flags=tuple(flags), vm_flags=tuple(vm_flags))
    if reason := flags_refusal(changed):
        raise UsageError(reason)
    return changed
