// Values that grow large, in Rust: `large NAME N` makes N changes to one.
use std::collections::BTreeMap;
fn append(n: usize) -> usize {
    let mut xs = Vec::new();
    for i in 0..n {
        xs.push(i);
    }
    xs.len()
}
fn insert(n: usize) -> usize {
    let mut squares = BTreeMap::new();
    for i in 0..n {
        squares.insert(i, i * i);
    }
    squares.len()
}
fn update(mut counts: BTreeMap<usize, usize>, n: usize) -> usize {
    for i in 0..n {
        counts.insert(i * 7919 % 1000, i);
    }
    counts[&((n - 1) * 7919 % 1000)] + 1
}
fn text(n: usize) -> usize {
    let mut s = String::new();
    for i in 0..n {
        s.push((97 + i % 26) as u8 as char);
    }
    s.len()
}
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let n: usize = arguments[2].parse().unwrap();
    let done = match arguments[1].as_str() {
        _ if n == 0 => 0,
        "append" => append(n),
        "insert" => insert(n),
        "update" => update((0..1000).map(|i| (i, 0)).collect(), n),
        _ => text(n),
    };
    println!("{}", done);
}
