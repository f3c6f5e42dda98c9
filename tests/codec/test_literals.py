"""Literals of other languages are read as the values that they are; what is none is left alone."""

from __future__ import annotations

import pytest

from worldline.codec.literals import NotLiteral, Reader, spelled

pytestmark = pytest.mark.unit

READ = [
    ("js", "[1.0, 2.5, -3]", "[1, 2.5, -3]"),
    ("js", "{ p: 'pine', 5: \"b\", 'a b': [] }", "{'p': 'pine', '5': 'b', 'a b': []}"),
    ("js", "'it\\'s\\n'", "\"it's\\n\""),
    ("js", "[[], {}, null, true]", "[[], {}, None, True]"),
    ("js", "`plain`", "'plain'"),
    ("js", "[-9999999999999999, 9007199254740991]", "[-1e+16, 9007199254740991]"),
    ("java", "new ArrayList<>(Arrays.asList(11.0, 2.0))", "[11.0, 2.0]"),
    ("java", "new ArrayList<>(List.of())", "[]"),
    ("java", "(new ArrayList<Long>(Arrays.asList((long)1l, (long)-3l)))", "[1, -3]"),
    ("java", "new int[]{1, 2, 3}", "[1, 2, 3]"),
    ("java", "new String[] {\"a\", \"b\"}", "['a', 'b']"),
    ("java", "Map.of(\"a\", 1, \"b\", 2)", "{'a': 1, 'b': 2}"),
    ("java", "Arrays.asList(4, Map.of(), List.of(), 23.2, 'c')", "[4, {}, [], 23.2, 'c']"),
    ("java", "Optional.empty()", "None"),
    ("java", "2.5f", "2.5"),
    ("cpp", "{{1, 2}, {}}", "[[1, 2], []]"),
    ("cpp", "(std::vector<long>({(long)1, (long)-1}))", "[1, -1]"),
    ("cpp", "(std::vector<std::vector<long>>())", "[]"),
    ("cpp", "(std::map<std::string,long>({{\"a\", 1}}))", "{'a': 1}"),
    ("cpp", "string(\"a\" \"b\")", "'ab'"),
    ("cpp", "std::make_tuple(1, \"x\")", "(1, 'x')"),
    ("cpp", "'c'", "'c'"),
    ("cpp", "0x1F", "31"),
    ("rust", "vec![1, 2, -3]", "[1, 2, -3]"),
    ("rust", "vec![]", "[]"),
    ("rust", "vec![0; 3]", "[0, 0, 0]"),
    ("rust", "&vec![\"a\".to_string(), String::from(\"b\")]", "['a', 'b']"),
    ("rust", "HashMap::from([(\"p\", \"q\"), (\"b\", \"c\")])", "{'p': 'q', 'b': 'c'}"),
    ("rust", "(8, 13)", "(8, 13)"),
    ("rust", "Some(3i32)", "3"),
    ("rust", "Vec::<isize>::new()", "[]"),
    ("rust", "1_000u64", "1000"),
    ("rust", "2.5_f32", "2.5"),
    ("go", "[]int{1, -2,}", "[1, -2]"),
    ("go", "[][]float64{{1}, {}, []float64{2.5}}", "[[1.0], [], [2.5]]"),
    ("go", "map[int]float64{1: 2}", "{1: 2.0}"),
    ("go", "map[string][]int{\"a\": {1}}", "{'a': [1]}"),
    ("go", "[]interface{}{4, nil, 'c', []interface{}{}}", "[4, None, 'c', []]"),
    ("go", "[]string(nil)", "None"),
    ("go", "uint8(7)", "7"),
    ("go", "float64(3)", "3.0"),
    ("go", "\"\\U0001F600\\u00e9\"", "'\U0001f600\xe9'"),
]  # fmt: skip
REFUSED = [
    ("js", "a"), ("js", "1 + 2"), ("js", "5n"), ("js", "f(1)"), ("js", "[1, x]"), ("js", "undefined"), ("js", "[1"),
    ("js", "new Set([1])"), ("java", "s.next(1)"), ("java", "new Foo(1)"), ("cpp", "{1, y}"), ("cpp", "(1, 2)"),
    ("go", "Point{1}"), ("go", "[]Point{{1}}"), ("go", "[]byte(\"a\")"), ("go", "int(2.5)"), ("go", "[]int{0: 1}"),
    ("go", "map[string]int{\"a\"}"), ("go", "Some(1)"),
    ("rust", "vec![0; n]"), ("rust", "\"a\".repeat(3)"), ("js", "'a'.repeat(3)"), ("js", "`${a}`"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "value"), READ)
def test_a_literal_is_read_as_its_value(language: str, text: str, value: str) -> None:
    reader = Reader(text + ") rest", language)
    assert spelled(reader.value()) == value
    assert reader.text[reader.at :].strip() == ") rest"


@pytest.mark.parametrize(("language", "text"), REFUSED)
def test_other_expressions_are_refused(language: str, text: str) -> None:
    with pytest.raises(NotLiteral):
        Reader(text, language).value()


def test_names_that_the_text_defines_are_known() -> None:
    assert Reader("[a, 1]", "js", known={"a": 5}).value() == [5, 1]
