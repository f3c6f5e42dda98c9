"""Colours of the other languages: what each character is, over lines, in broken sources, in hostile ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from language_sessions import LIST_SOURCE, MIXED_SOURCE

from worldline.core.language import LANGUAGES, all_lines
from worldline.ui.session.marks import syntax
from worldline.ui.session.marks.syntax import KINDS, SyntaxSpan, code_lines, spans

pytestmark = pytest.mark.unit

FOREIGN = [name for name in LANGUAGES if name != "python"]


def told(source: str, language: str) -> list[list[tuple[str, str]]]:
    """Each line's spans as text and kind."""
    return [
        [(line[one.start : one.end], one.kind) for one in some]
        for line, some in zip(source.split("\n"), spans(source, language), strict=True)
    ]


def kinds(source: str, language: str) -> dict[str, str]:
    """What each span of a source is, by its text."""
    return dict(run_diff for line in told(source, language) for run_diff in line)


C = """\
#include <stdio.h>
#define TWICE(a) \\
    (2 * (a))
/* a comment
   of two lines */
struct Node { int v; };
int main(void) {
    char c = '\\n'; // why
    printf("%d\\n", 0x1f);
    return 0;
}"""


def test_c_has_directives_comments_over_lines_and_characters() -> None:
    lines = told(C, "c")
    assert lines[0] == [("#include", "directive"), ("<stdio.h>", "string")]
    assert lines[1] == [("#define TWICE(a) \\", "directive")]
    assert lines[2] == [("    (2 * (a))", "directive")]
    assert lines[3] == [("/* a comment", "comment")]
    assert lines[4] == [("   of two lines */", "comment")]
    assert lines[5] == [("struct", "keyword"), ("Node", "defined"), ("int", "builtin")]
    assert lines[6] == [("int", "builtin"), ("main", "defined"), ("void", "builtin")]
    assert lines[7] == [("char", "builtin"), ("'\\n'", "string"), ("// why", "comment")]
    assert lines[8] == [('"%d\\n"', "string"), ("0x1f", "number")]


def test_a_function_is_defined_where_it_has_a_body_and_not_where_it_is_called() -> None:
    source = "static struct Node *push(int v) {\n    free(list);\n}\n\nint total(int n)\n{\n    f(1,\n  2);\n}"
    found = [[text for text, kind in line if kind == "defined"] for line in told(source, "c")]
    assert "push" in found[0]
    assert (found[1], found[4], found[6]) == ([], ["total"], [])
    js = told("class P {\n  grow(a) {\n    if (a) {\n      go(a, () => {\n      });\n    }\n  }\n}", "js")
    assert [text for line in js for text, kind in line if kind == "defined"] == ["P", "grow"]


def test_cpp_has_raw_strings_attributes_and_null() -> None:
    lines = told('[[nodiscard]] auto f() {\n  return R"(a\n"b)";\n}\nint* p = nullptr;', "cpp")
    assert ("nodiscard", "directive") in lines[0]
    assert lines[1] == [("return", "keyword"), ('R"(a', "string")]
    assert lines[2] == [('"b)"', "string")]
    assert lines[4] == [("int", "builtin"), ("nullptr", "keyword")]


def test_rust_has_lifetimes_attributes_macros_and_nested_comments() -> None:
    source = (
        "#[derive(Debug)]\nfn f<'a>(x: &'a str) -> char {\n"
        '    let s = r#"a "\n b"#;\n    println!("{s}");\n    \'x\'\n}\n/* a /* b */ c */ struct P;'
    )
    lines = told(source, "rust")
    assert lines[0] == [("#[derive(Debug)]", "directive")]
    assert lines[1][:2] == [("fn", "keyword"), ("f", "defined")]
    assert not any(kind == "string" for _, kind in lines[1])
    assert lines[2] == [("let", "keyword"), ('r#"a "', "string")]
    assert lines[3] == [(' b"#', "string")]
    assert lines[4] == [("println!", "builtin"), ('"{s}"', "string")]
    assert lines[5] == [("'x'", "string")]
    assert lines[7] == [("/* a /* b */ c */", "comment"), ("struct", "keyword"), ("P", "defined")]


def test_go_has_raw_strings_runes_and_methods() -> None:
    source = "type P struct{ x int }\nfunc f(r rune) string {\n\treturn `a\n b` + string('x') // nil\n}\nvar p *P = nil"
    lines = told(source, "go")
    assert lines[0][:2] == [("type", "keyword"), ("P", "defined")]
    assert lines[1][:2] == [("func", "keyword"), ("f", "defined")]
    assert ("`a", "string") in lines[2]
    assert (" b`", "string") in lines[3]
    assert ("'x'", "string") in lines[3]
    assert ("// nil", "comment") in lines[3]
    assert ("nil", "keyword") in lines[5]


@pytest.mark.parametrize("language", ["js", "ts"])
def test_templates_have_code_inside(language: str) -> None:
    source = "function f(a) {\n  return `x ${a + 1n}\n y` + /a\\/b/g.source;\n}\nclass P extends Q {}"
    lines = told(source, language)
    assert lines[0] == [("function", "keyword"), ("f", "defined")]
    assert lines[1] == [("return", "keyword"), ("`x ${", "string"), ("1n", "number"), ("}", "string")]
    assert lines[2] == [(" y`", "string"), ("/a\\/b/g", "string")]
    assert lines[4] == [("class", "keyword"), ("P", "defined"), ("extends", "keyword")]


def test_words_of_javascript() -> None:
    found = kinds("const a = null; let b = undefined; if (true) throw new Error(NaN);", "js")
    assert {found[word] for word in ("const", "null", "let", "if", "true", "throw", "new")} == {"keyword"}
    assert "a" not in found


def test_types_of_typescript() -> None:
    found = kinds("interface A { x: number }\nfunction f(a: string): void {}", "ts")
    assert (found["interface"], found["A"], found["number"], found["f"]) == (
        "keyword", "defined", "builtin", "defined",
    )  # fmt: skip


def test_java_has_annotations_text_blocks_and_characters() -> None:
    source = (
        'class Main {\n  @Override\n  public String f(int x) {\n    return """\n      a "\n      """;\n  }\n'
        "  char c = 'a';\n  long l = 1_000L;\n}"
    )
    lines = told(source, "java")
    assert lines[0] == [("class", "keyword"), ("Main", "defined")]
    assert lines[1] == [("@Override", "directive")]
    assert ("f", "defined") in lines[2]
    assert ("int", "builtin") in lines[2]
    assert [lines[3][-1], lines[4], lines[5]] == [
        ('"""', "string"), [('      a "', "string")], [('"""', "string")],
    ]  # fmt: skip
    assert lines[7][-1] == ("'a'", "string")
    assert lines[8][-1] == ("1_000L", "number")


def test_python_is_coloured_as_it_was() -> None:
    assert spans("def f():\n    return 1") == spans("def f():\n    return 1", "python")


def test_an_unknown_language_has_no_spans() -> None:
    assert spans("def f():\n    return 1", "cobol") == ((), ())


@pytest.mark.parametrize("language", FOREIGN)
@given(text=st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("\n\r\t\"'`(#:\\ /*{}$@r"), max_size=120))
def test_any_text_has_spans_inside_its_lines(language: str, text: str) -> None:
    lines = all_lines(text, language)
    found = spans(text, language)
    assert len(found) == len(lines)
    for line, some in zip(lines, found, strict=True):
        at = 0
        for one in some:
            assert isinstance(one, SyntaxSpan)
            assert at <= one.start < one.end <= len(line)
            assert one.kind in KINDS
            at = one.end


@pytest.mark.parametrize(("language", "piece"), [("c", "\n"), ("java", "a "), ("rust", "/")])
def test_a_slow_lexer_is_cut_off(language: str, piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "LEXER_SECONDS", 0.05)
    source = f"int x = 1; /* seen */\n{piece * 20_000}\nint y;"
    assert SyntaxSpan(11, 21, "comment") in spans(source, language)[0]


def test_lines_with_code() -> None:
    assert code_lines(LIST_SOURCE, "c") == (3, 6, 7, 8, 9, 10, 12, 15, 16, 17, 18, 19, 20)
    assert code_lines(MIXED_SOURCE, "js") == (2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15)
    assert code_lines("", "c") == ()


def test_lines_end_as_the_language_says() -> None:
    assert [len(spans("let a;\u2028let b;\rlet c;", language)) for language in ("js", "java", "c")] == [3, 2, 1]
    assert spans("int a; // b\r\nint c;", "c")[0][-1] == SyntaxSpan(7, 11, "comment")
