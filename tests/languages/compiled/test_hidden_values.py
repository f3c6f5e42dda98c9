"""Values of library types that hide what they hold: what is in them is shown, or a digest that changes with it."""

from __future__ import annotations

import re

import pytest
from warm import recorded

from worldline.core.trace import Trace

pytestmark = pytest.mark.usefixtures("sandbox")

HOLDERS = """#include <any>
#include <functional>
#include <string>
#include <vector>
struct Row { int a; std::string s; };
int twice(int x) { return 2 * x; }
int main() {
  std::any v;
  v = 1;
  v = std::string("text");
  v = Row{1, "s"};
  std::any_cast<Row&>(v).a = 5;
  v.reset();
  std::function<int(int)> f;
  f = twice;
  int n = 0;
  f = [n](int x) mutable { return n += x; };
  f(4);
  std::string word = "a word that is too long to lie in the function itself";
  f = [word](int x) { return x; };
  return 0;
}
"""
HELD = {
    "v": ["None", "1", "'text'", "Row#1(a=1, s='s')", "Row#1(a=5, s='s')", "None"],
    "f": [
        "None",
        "<function twice>",
        "function#1(<function <lambda>>, n=0)",
        "function#1(<function <lambda>>, n=4)",
        "function#1(<function <lambda>>, word='a word that is too long to lie in the function itself')",
    ],
}

WEAK = """#include <bitset>
#include <memory>
#include <vector>
struct Node { int v; std::weak_ptr<Node> up; std::vector<std::shared_ptr<Node>> kids; };
int main() {
  std::weak_ptr<int> w;
  {
    auto owner = std::make_shared<int>(5);
    w = owner;
    *owner = 6;
  }
  auto root = std::make_shared<Node>();
  root->v = 1;
  root->kids.push_back(std::make_shared<Node>(Node{2, root, {}}));
  std::bitset<3> b;
  b.set(1);
  return 0;
}
"""

ITERATORS = """#include <list>
#include <map>
#include <random>
#include <vector>
int main() {
  std::map<int, int> m{{1, 2}, {3, 4}};
  auto mi = m.begin();
  ++mi;
  mi->second = 9;
  ++mi;
  std::list<int> l{1, 1};
  auto li = l.begin();
  ++li;
  std::vector<int> v{1, 2};
  auto vi = v.begin();
  ++vi;
  std::mt19937 g(7);
  g();
  return 0;
}
"""

STREAMS = """#include <sstream>
struct Log { int n; std::ostringstream out; };
int main() {
  std::stringstream s("1 2");
  int k = 0;
  s >> k;
  s << " and a text that is too long to lie in the string itself";
  Log log{1, {}};
  log.out << k << 'x';
  return 0;
}
"""

ERRORS = """#include <stdexcept>
#include <string>
struct Mine : std::runtime_error {
  int code;
  Mine(const std::string& s, int c) : std::runtime_error(s), code(c) {}
};
int main() {
  std::runtime_error r("third");
  r = std::runtime_error("fourth");
  try {
    throw Mine("first", 4);
  } catch (const std::exception& e) {
    int a = 1;
    a++;
  }
  try {
    throw std::out_of_range("second");
  } catch (std::out_of_range e) {
    int b = 1;
    b++;
  }
  return 0;
}
"""

RUST = """use std::cell::RefCell;
use std::rc::{Rc, Weak};
trait Shape { fn grow(&mut self); }
struct Circle { r: f64 }
struct Square { side: i32 }
impl Shape for Circle { fn grow(&mut self) { self.r += 1.0; } }
impl Shape for Square { fn grow(&mut self) { self.side += 1; } }
struct Node { v: i32, up: RefCell<Weak<Node>> }
fn pick(n: i32) -> Box<dyn Shape + Send> {
    if n == 0 { Box::new(Circle { r: 1.0 }) } else { Box::new(Square { side: n }) }
}
fn main() {
    let mut b = pick(0);
    b.grow();
    b = pick(4);
    let many: Vec<Rc<RefCell<dyn Shape>>> = vec![Rc::new(RefCell::new(Square { side: 1 }))];
    many[0].borrow_mut().grow();
    let root = Rc::new(Node { v: 1, up: RefCell::new(Weak::new()) });
    let kid = Rc::new(Node { v: 2, up: RefCell::new(Weak::new()) });
    *kid.up.borrow_mut() = Rc::downgrade(&root);
    let mut words = "a b".split_whitespace();
    words.next();
    let mut rest = [1, 2, 3].iter().enumerate();
    rest.next();
    let mut sum = 1;
    let mut add: Box<dyn FnMut(i32) -> i32> = Box::new(move |x| { sum += x; sum });
    add(3);
    let error = "x".parse::<i32>();
    drop(root);
    println!("{} {}", kid.v, error.is_ok());
}
"""


def values(trace: Trace, name: str) -> list[str]:
    """What a variable of the first frame shows, in order; objects are not numbered."""
    assert trace.outcome.kind == "returned", trace.stderr
    texts = [step.delta[name] for step in trace.steps if not step.depth and name in step.delta]
    return [re.sub(r"#\d+", "#1", text) for text in texts]


def test_any_and_function_show_what_they_hold() -> None:
    trace = recorded(HOLDERS, "holders.cpp")
    assert {name: values(trace, name) for name in HELD} == HELD


def test_a_weak_pointer_shows_its_object_while_somebody_owns_it() -> None:
    trace = recorded(WEAK, "weak.cpp")
    assert values(trace, "w") == ["None", "5", "None"]
    assert values(trace, "root")[-1] == "Node#1(v=1, up=None, kids=[Node#1(v=2, up=Node#1, kids=[])])"
    assert values(trace, "b") == ["[False, False, False]", "[False, True, False]"]


def test_iterators_show_their_element_or_the_end() -> None:
    trace = recorded(ITERATORS, "iterators.cpp")
    nodes = [re.sub(r"Ptr#1\(\[(.*)\], at=0\)", r"\1", text) for text in values(trace, "mi")]
    assert nodes == ["(1, 2)", "(3, 4)", "(3, 9)", "<end>"]
    lists = [step.delta["li"] for step in trace.steps if "li" in step.delta]
    assert len(set(lists)) == 2, "equal elements have nodes of their own"
    assert values(trace, "vi") == ["Ptr#1([1, 2], at=0)", "Ptr#1([1, 2], at=1)"]


def test_a_generator_shows_a_digest_that_is_the_same_in_each_recording() -> None:
    first, second = (values(recorded(ITERATORS, "iterators.cpp"), "g") for _ in range(2))
    assert first == second
    assert len(set(first)) == 2
    assert all(re.fullmatch("<mersenne_twister_engine state_[0-9a-f]{8}>", text) for text in first)


def test_a_stream_over_a_string_shows_its_text_and_how_much_is_read() -> None:
    trace = recorded(STREAMS, "streams.cpp")
    assert [text for text in values(trace, "s") if text != "<uninit>"] == [
        "stringstream#1('1 2', read=0)",
        "stringstream#1('1 2', read=1)",
        "stringstream#1(' and a text that is too long to lie in the string itself', read=1)",
    ]
    assert values(trace, "log")[-1] == "Log#1(n=1, out=ostringstream#1('1x'))"


def test_a_caught_exception_shows_its_class_and_message() -> None:
    trace = recorded(ERRORS, "errors.cpp")
    caught = [text for text in values(trace, "e") if text != "<dangling>"]
    assert caught == ["Mine('first')", "out_of_range('second')"]
    assert values(trace, "r") == ["runtime_error('third')", "runtime_error('fourth')"]


def test_values_of_rust_that_hide_what_they_hold() -> None:
    trace = recorded(RUST, "hidden.rs")
    assert values(trace, "b") == ["Circle#1(r=1.0)", "Circle#1(r=2.0)", "Square#1(side=4)"]
    assert values(trace, "many") == ["[Square#1(side=1)]", "[Square#1(side=2)]"]
    kids = ["Node#1(v=2, up=None)", "Node#1(v=2, up=Node#1(v=1, up=None))", "Node#1(v=2, up=None)"]
    assert values(trace, "kid") == kids
    assert values(trace, "rest") == ["Enumerate#1(iter=[1, 2, 3], count=0)", "Enumerate#1(iter=[2, 3], count=1)"]
    assert values(trace, "add") == [f"function#1(<function <closure>>, sum={n})" for n in (1, 4)]
    assert values(trace, "error") == ["Err(ParseIntError#1(kind=IntErrorKind.InvalidDigit))"]
    words = values(trace, "words")
    assert len(set(words)) == 2
    assert all(re.fullmatch("<SplitWhitespace state_[0-9a-f]{8}>", text) for text in words)
