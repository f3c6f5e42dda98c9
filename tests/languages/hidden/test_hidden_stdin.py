"""What a program reads and what it draws, in one run of each language: both recorded in order, and replayed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hidden_lines import ControlledRuns

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.recorder import SandboxWorker, prepare

pytestmark = pytest.mark.usefixtures("sandbox")
SOURCES = {
    "a.js": """\
const word = require('fs').readFileSync(0, 'utf8').trim();
const number = require('crypto').randomInt(6);
console.log(word, number < 6);
""",
    "a.ts": """\
let word: string = '';
process.stdin.on('data', (chunk: Buffer) => { word += chunk; });
process.stdin.on('end', () => {
  const number: number = require('crypto').randomInt(6);
  console.log(word.trim(), number < 6);
});
""",
    "Main.java": """\
import java.util.*;
public class Main {
    public static void main(String[] args) {
        String word = new Scanner(System.in).next();
        int number = (int) (Math.random() * 6);
        System.out.println(word + " " + (number < 6));
    }
}
""",
    "a.c": """\
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char word[9];
    scanf("%8s", word);
    unsigned number = arc4random_uniform(6);
    printf("%s %s\\n", word, number < 6 ? "true" : "false");
}
""",
    "a.cpp": """\
#include <iostream>
#include <random>
int main() {
    std::string word;
    std::cin >> word;
    unsigned number = std::random_device()() % 6;
    std::cout << word << ' ' << std::boolalpha << (number < 6) << '\\n';
}
""",
    "a.rs": """\
use std::hash::{BuildHasher, RandomState};
fn main() {
    let mut word = String::new();
    std::io::stdin().read_line(&mut word).unwrap();
    let number = RandomState::new().hash_one(1) % 6;
    println!("{} {}", word.trim(), number < 6);
}
""",
    "a.go": """\
package main

import (
	"crypto/rand"
	"fmt"
)

func main() {
	var word string
	number := make([]byte, 1)
	fmt.Scan(&word)
	rand.Read(number)
	fmt.Println(word, number[0]%6 < 6)
}
""",
}
KINDS = {
    "a.js": "below 6",
    "a.ts": "below 6",
    "Main.java": "float",
    "a.c": "below 6",
    "a.cpp": "bits 32",
    "a.go": "urandom 1",
}


@pytest.fixture(scope="module")
def worker() -> Iterator[SandboxWorker]:
    worker = SandboxWorker(prepare(limits=Limits(wall=60), python=None, core="auto", trust=False, controlled=True))
    yield worker
    worker.close()


@pytest.mark.parametrize("name", SOURCES)
def test_what_is_read_stands_before_what_is_drawn(worker: SandboxWorker, name: str) -> None:
    runs = ControlledRuns(worker, Program(source=SOURCES[name], name=name, stdin="word\n"))
    assert runs.seeded.output == "word true\n", runs.seeded.stderr
    read, drawn = runs.seeded.hidden
    assert (read.kind, drawn.kind) == ("input", KINDS.get(name, "urandom 16"))
    assert "word" in read.value
    runs.assert_repeatable()
