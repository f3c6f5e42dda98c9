"""The chain behind a wrong value. The predictions are recordings of programs with one changed expression."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import pytest
from foreign_runs import LANGUAGES, foreign_run, give_tables
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import EXCEPTIONS, PROGRAMS, SHARED, sample, truth
from tiers import examples

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.diagnose.why.chain import LINK_KINDS, WhyChain, WhyLink
from worldline.diagnose.why.run_pair import RunPair
from worldline.diagnose.why.sentences import ORIGIN, chain_sentences
from worldline.diagnose.why.why import MAX_LINKS, asked_value, why, why_value
from worldline.predict import table
from worldline.predict.prediction import Prediction, PredictionRequest

CODECS = ("compact", "cwm")


@dataclass(frozen=True)
class Planted:
    """A program, the expression that the prediction takes for another one, and the chain that must come out.

    `links` are kind, name and line of each link; `origin` is the source text and the line of the last one.
    """

    source: str
    call: str | None
    old: str
    new: str
    links: tuple[tuple[str, str, int], ...]
    origin: tuple[str, int]
    name: str | None = None
    at: int = -1
    codecs: tuple[str, ...] = CODECS


STRAIGHT = Planted(
    source="def f(a):\n    b = a + 1\n    c = b * 2\n    d = c - a\n    return d\n",
    call="f(3)",
    old="a + 1",
    new="a + 2",
    links=(("returned", "the returned value", 5), ("written", "d", 4), ("written", "c", 3), ("written", "b", 2)),
    origin=("a + 1", 2),
)
TWO_FUNCTIONS = Planted(
    source="""def shout(x):
    y = x.upper()
    return y + '!'

def f(s):
    t = s[1:]
    u = shout(t)
    return u * 2
""",
    call="f('abc')",
    old="s[1:]",
    new="s[2:]",
    links=(
        ("written", "u", 7),
        ("returned", "shout(t)", 3),
        ("written", "y", 2),
        ("argument", "x", 7),
        ("written", "t", 6),
    ),
    origin=("s[1:]", 6),
    name="u",
)
ALIAS = Planted(
    source="def f():\n    a = [1, 2]\n    b = a\n    b.append(3)\n    n = len(a)\n    return n, a\n",
    call="f()",
    old="append(3)",
    new="append(4)",
    links=(("written", "a[2]", 4),),
    origin=("b.append(3)", 4),
    name="a",
)
MUTATED_IN_CALL = Planted(
    source="""def grow(xs):
    xs.append(9)
    return len(xs)

def f(a):
    b = a
    n = grow(a)
    return b
""",
    call="f([1, 2])",
    old="append(9)",
    new="append(8)",
    links=(("written", "b[2]", 7), ("written", "xs[2]", 2)),
    origin=("xs.append(9)", 2),
    name="b",
)
LOOP = Planted(
    source="def f(xs):\n    total = 0\n    for x in xs:\n        y = x * 2\n        total += y\n    return total\n",
    call="f([1, 2, 3, 4])",
    old="x * 2",
    new="x * 2 + (x == 2)",
    links=(("returned", "the returned value", 6), ("written", "total", 5), ("written", "y", 4)),
    origin=("x * 2", 4),
)
BRANCH = Planted(
    source="""def f(n):
    m = n % 7
    if m > 3:
        r = 'big'
    else:
        r = 'small'
    s = r + '!'
    return s
""",
    call="f(12)",
    old="m > 3",
    new="m > 5",
    links=(("written", "s", 7), ("path", "r", 6), ("decided", "m > 3", 3)),
    origin=("m > 3", 3),
    name="s",
)
WRONG_OPERAND_OF_A_BRANCH = replace(
    BRANCH,
    old="n % 7",
    new="n % 3",
    links=(("written", "s", 7), ("path", "r", 6), ("decided", "m > 3", 3), ("written", "m", 2)),
    origin=("n % 7", 2),
)
WHILE = Planted(
    source="def f(n):\n    i = 0\n    while i < n:\n        i += 2\n    return i\n",
    call="f(5)",
    old="i < n",
    new="i < n + 2",
    links=(("returned", "the returned value", 5), ("path", "i", 4), ("decided", "i < n", 3)),
    origin=("i < n", 3),
)
COMPREHENSION = Planted(
    source="""def f(words):
    k = 2
    out = [w[:k] for w in words if w]
    return out
""",
    call="f(['abc', 'de', ''])",
    old="k = 2",
    new="k = 1",
    links=(("written", "out[0]", 3), ("returned", "[w[:k] for w in words if w]", 3), ("written", "k", 2)),
    origin=("2", 2),
    name="out",
)
ATTRIBUTE = Planted(
    source="""class Box:
    def __init__(self, w, h):
        self.w = w
        self.h = h

    def area(self):
        return self.w * self.h

def f(a):
    b = Box(a, 2)
    b.w += 3
    c = b.area()
    return c
""",
    call="f(4)",
    old="+= 3",
    new="+= 4",
    links=(("written", "c", 12), ("returned", "b.area()", 7), ("argument", "self.w", 12), ("written", "b.w", 11)),
    origin=("b.w += 3", 11),
    name="c",
)
CONSTRUCTOR = replace(
    ATTRIBUTE,
    old="Box(a, 2)",
    new="Box(a, 5)",
    links=(("written", "b.h", 10), ("written", "Box(a, 2).h", 4), ("argument", "h", 10)),
    origin=("2", 10),
    name="b.h",
    codecs=("compact",),
)
GLOBAL = Planted(
    source="""total = 0

def add(x):
    global total
    y = x + 1
    total += y

def run():
    add(3)
    add(4)

run()
print(total)
""",
    call=None,
    old="x + 1",
    new="x + 1 + (x == 3)",
    links=(("printed", "the output", 13), ("written", "total", 12), ("written", "total", 6), ("written", "y", 5)),
    origin=("x + 1", 5),
    at=-2,
    codecs=("compact",),
)
OUTPUT = Planted(
    source="def f(s):\n    t = s.title()\n    print('<' + t + '>')\n    return None\n",
    call="f('ab cd')",
    old="s.title()",
    new="s.upper()",
    links=(("printed", "the output", 3), ("written", "t", 2)),
    origin=("s.title()", 2),
    at=-3,
    codecs=("compact",),
)
CLOSURE = Planted(
    source="""def f(n):
    k = n * 3

    def g(x):
        return x + k

    r = g(1)
    return r
""",
    call="f(2)",
    old="n * 3",
    new="n * 4",
    links=(("written", "r", 7), ("returned", "g(1)", 5), ("written", "k", 2)),
    origin=("n * 3", 2),
    name="r",
)
ITEM = Planted(
    source="def f(xs):\n    i = 1\n    xs[i] = xs[0] * 10\n    y = xs[i] + xs[2]\n    return y\n",
    call="f([1, 2, 3])",
    old="xs[0] * 10",
    new="xs[0] * 11",
    links=(("written", "y", 4), ("written", "xs[i]", 3)),
    origin=("xs[i] = xs[0] * 10", 3),
    name="y",
)
GENERATOR = Planted(
    source="""def count(n):
    i = 0
    while i < n:
        yield i * i
        i += 1

def f(n):
    t = 0
    for x in count(n):
        t += x
    return t
""",
    call="f(4)",
    old="i * i",
    new="i * i + (i == 2)",
    links=(("written", "t", 10), ("written", "x", 9), ("yielded", "count(n)", 4)),
    origin=("i * i", 4),
    name="t",
    codecs=("compact",),
)
CASES = {name.lower(): case for name, case in list(globals().items()) if isinstance(case, Planted)}


@lru_cache
def mistaken(case: Planted, codec: str) -> Diagnosis:
    """The program beside a prediction that is the recording of the changed one."""
    assert case.source.count(case.old) == 1, case.old
    program = Program(source=case.source, call=case.call)
    changed = truth(replace(program, source=case.source.replace(case.old, case.new)), codec)
    # Meta's notation quotes the lines: those of the program itself.
    text = changed.text if codec == "compact" else changed.text.replace(case.new.encode(), case.old.encode())
    ask = PredictionRequest(program=program, options=Compact())
    return Diagnosis(Sample(ask=ask, truth=truth(program, codec), found=replace(changed, text=text)))


def chain_of(case: Planted, codec: str = "compact") -> WhyChain:
    diagnosis = mistaken(case, codec)
    return why(diagnosis, len(diagnosis.found.events) + case.at, case.name)


def shapes(chain: WhyChain) -> tuple[tuple[str, str, int | None], ...]:
    return tuple((link.kind, link.name, link.line) for link in chain.links)


@pytest.mark.parametrize(("name", "codec"), [(name, codec) for name, case in CASES.items() for codec in case.codecs])
def test_a_planted_mistake_is_found_behind_its_consequences(name: str, codec: str) -> None:
    case = CASES[name]
    chain = chain_of(case, codec)
    assert chain.is_wrong
    assert chain.more == 0
    assert shapes(chain) == case.links
    (origin,) = chain.origins
    assert origin is chain.links[-1]
    assert (origin.text, origin.line) == case.origin
    assert not any(operand.is_wrong for operand in origin.operands)


@pytest.mark.parametrize("name", CASES)
def test_every_link_but_the_origin_has_a_wrong_operand_that_the_next_ones_explain(name: str) -> None:
    chain = chain_of(CASES[name])
    assert chain.links[0].feeds is None
    for number, link in enumerate(chain.links):
        assert link.kind in LINK_KINDS
        assert link.is_origin or any(other.feeds == number for other in chain.links), link
        if link.kind not in ("path", "decided"):
            assert link.is_wrong
            assert link.is_origin or any(operand.is_wrong for operand in link.operands), link


def test_the_values_stand_side_by_side() -> None:
    link = chain_of(STRAIGHT).links[1]
    assert (link.wanted, link.got) == ("5", "7")
    assert [(operand.text, operand.wanted, operand.got) for operand in link.operands] == [
        ("c", "8", "10"),
        ("a", "3", "3"),
    ]


def test_steps_of_one_line_are_counted_and_the_first_wrong_one_is_the_origin() -> None:
    source = "def f(n):\n    t = 1\n    for i in range(n):\n        t = t + i\n    return t\n"
    case = Planted(source, "f(30)", "t + i", "t + i + (i == 3)", (), ("t + i", 4))
    chain = chain_of(case)
    assert [(link.name, link.times) for link in chain.links] == [("the returned value", 1), ("t", 26), ("t", 1)]
    assert (chain.origins[0].wanted, chain.origins[0].got) == ("7", "8")


def test_other_paths_are_named_with_the_condition() -> None:
    path, decided = chain_of(BRANCH).links[1:]
    assert (path.line, path.true_line) == (6, 4)
    assert (
        path.note == "predicted line 6, actual line 4, because the condition at line 3 was judged false, actually true"
    )
    assert (decided.wanted, decided.got) == ("true", "false")
    assert [(operand.text, operand.got) for operand in decided.operands] == [("m", "5")]


def test_a_step_that_only_the_prediction_executes_has_no_true_step() -> None:
    path = chain_of(WHILE).links[1]
    assert (path.truth, path.found) == (None, 9)
    assert path.note.startswith("executed only in the prediction: predicted line 4, actual line 5")


def test_the_origin_of_the_first_divergence_is_named_by_its_cause() -> None:
    diagnosis = Diagnosis(sample(EXCEPTIONS, ("12 x=6", "12 x=8"), ("12 x=5", "12 x=7"), ("'x': 5", "'x': 7")))
    (origin,) = why(diagnosis, len(diagnosis.found.events) - 1).origins
    assert (origin.operation, origin.line) == (diagnosis.cause.operation, 12)
    assert diagnosis.cause.evidence in origin.note


def test_a_missed_change_says_which_run_changed_the_value() -> None:
    diagnosis = Diagnosis(sample(SHARED, ("8 a=[1, 2, 5] b=[1, 2, 5]", "8 b=[1, 2, 5]")))
    chain = why(diagnosis, 3, "a")
    (link,) = chain.links
    assert (chain.wanted, chain.got) == ("[1, 2, 5]", "[1, 2]")
    assert (link.line, link.is_origin) == (8, True)
    assert "the prediction does not change it here" in link.note


def test_a_second_mistake_is_an_origin_of_its_own() -> None:
    source = "def f(a):\n    b = a + 1\n    c = a * 5\n    return b + c\n"
    program = Program(source=source, call="f(3)")
    diagnosis = Diagnosis(sample(program, ("b=4", "b=5"), ("c=15", "c=16"), (")19", ")21")))
    chain = why(diagnosis, 4)
    assert [link.name for link in chain.origins] == ["c", "b"]
    assert [link.feeds for link in chain.links] == [None, 0, 0]


def test_a_right_value_is_followed_to_its_inputs() -> None:
    diagnosis = Diagnosis(sample(Program(source=STRAIGHT.source, call=STRAIGHT.call)))
    chain = why(diagnosis, 4, "c")
    assert not chain.is_wrong
    assert shapes(chain) == (("written", "c", 3), ("written", "b", 2), ("input", "a", 1))
    assert chain.origins == ()


def test_a_misread_argument_of_the_call_is_an_origin() -> None:
    program = Program(source=STRAIGHT.source, call=STRAIGHT.call)
    diagnosis = Diagnosis(sample(program, ("a=3", "a=4"), ("b=4", "b=5")))
    (_, origin) = why(diagnosis, 1, "b").links
    assert (origin.kind, origin.name, origin.text, origin.is_origin) == ("input", "a", "f(3)", True)


def test_a_long_chain_is_cut_but_shows_its_origin() -> None:
    count = 3 * MAX_LINKS
    lines = [f"    x{n} = x{n - 1} + 1\n" for n in range(1, count)]
    source = f"def f(x0):\n{''.join(lines)}    return x{count - 1}\n"
    case = Planted(source, "f(0)", "x1 = x0 + 1", "x1 = x0 + 2", (), ("x0 + 1", 2))
    chain = chain_of(case)
    assert len(chain.links) == MAX_LINKS + 1
    assert chain.links[-1].is_origin
    assert chain.links[-1].name == "x1"
    assert chain.more == count - len(chain.links)
    assert any("left out" in note for note in chain.notes)


def test_a_prediction_that_ends_early_says_so() -> None:
    diagnosis = Diagnosis(sample(Program(source=STRAIGHT.source, call=STRAIGHT.call), cut="3 c=8", status="budget"))
    runs = RunPair.of_events(diagnosis.sample.ask.program, diagnosis.truth.events, diagnosis.found.events)
    chain = why_value(runs, asked_value(runs, "d", runs.place(truth=4)))
    assert (chain.wanted, chain.got) == ("5", None)
    assert chain.links[0].kind == "path"
    assert "the prediction ends after step 1" in chain.links[0].note


def test_names_that_have_no_value_are_refused() -> None:
    diagnosis = Diagnosis(sample(SHARED))
    for name in ("nothing", "a + b", "a[0", ""):
        with pytest.raises(UsageError):
            why(diagnosis, 3, name)
    with pytest.raises(UsageError, match="there is no step 99"):
        why(diagnosis, 99, "a")
    with pytest.raises(UsageError, match="returns, yields, raises or prints nothing"):
        why(diagnosis, 3)


def test_the_sentences_mark_the_origin_and_print_safely() -> None:
    sentences = list(chain_sentences(chain_of(TWO_FUNCTIONS)))
    assert sentences[0] == ("why", "u: 'BC!', predicted 'C!'", "bold")
    assert [label for label, text, _ in sentences if ORIGIN in text] == ["step 1"]
    hostile = WhyLink(kind="written", name="\x1b[2J", truth=0, found=0, line=1, text="a\nb\x1b", wanted="\u202e")
    text = "".join(
        text for _, text, _ in chain_sentences(WhyChain(name="\x1b", wanted="\n", got=None, links=(hostile,)))
    )
    assert text.isprintable()


def test_a_chain_is_json() -> None:
    chain = chain_of(STRAIGHT).as_json()
    assert chain["is_wrong"] is True
    assert chain["links"][1]["operands"][0] == {"text": "c", "wanted": "8", "got": "10", "is_wrong": True}


@pytest.mark.fuzz
@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_any_prediction_has_a_chain_for_every_value(program: Program, codec: str) -> None:
    true = truth(program, codec).text
    pieces = st.sampled_from(sorted({true[i : i + 7] for i in range(0, len(true), 5)}))

    @settings(max_examples=examples(15, 300))
    @given(st.integers(0, len(true)), st.integers(0, 40), st.lists(pieces, max_size=3))
    def check(at: int, size: int, put: list[bytes]) -> None:
        text = true[:at] + b"".join(put) + true[at + size :]
        prediction = Prediction(text=text, status="ended", codec=codec)
        ask = PredictionRequest(program=program, options=Compact())
        diagnosis = Diagnosis(Sample(ask=ask, truth=truth(program, codec), found=prediction))
        for step, event in enumerate(diagnosis.found.events):
            for name in (*event.values, *([None] if event.arg is not None else [])):
                chain = _answer(diagnosis, step, name)
                assert chain is None or len(chain.links) <= MAX_LINKS + len(chain.origins)

    check()


def _answer(diagnosis: Diagnosis, step: int, name: str | None) -> WhyChain | None:
    """A model may write names that are none."""
    try:
        return why(diagnosis, step, name)
    except UsageError:
        return None


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_languages_have_chains_of_lines_and_names(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    give_tables(monkeypatch)
    run = foreign_run(language)
    text = run.steps
    for old, new in ((b")2\n sum=8", b")3\n sum=9"), (b")8\n.", b")9\n.")):
        assert old in text
        text = text.replace(old, new)
    true, found = (Prediction(text=part, status="ended", codec="compact") for part in (run.steps, text))
    diagnosis = Diagnosis(Sample(ask=PredictionRequest(program=run.program), truth=true, found=found))
    chain = why(diagnosis, len(diagnosis.found.events) - 1)
    table.table_of.cache_clear()
    assert [(link.kind, link.line) for link in chain.links] == [("returned", 9), ("written", 7), ("returned", 2)]
    total, twice = chain.links[1:]
    assert (total.name, total.wanted, total.got, total.text) == ("sum", "8", "9", "sum += twice(xs[i]);")
    assert (twice.wanted, twice.got, twice.is_origin) == ("2", "3", True)
