// The five workloads in Rust: `workloads NAME TIMES` runs one of them so often.
use std::collections::{BTreeMap, VecDeque};
fn int_loop(n: i64) -> i64 {
    let mut total = 0;
    for i in 0..n {
        total += i;
    }
    total
}
fn string_build(n: u32) -> String {
    let mut text = String::new();
    for i in 0..n {
        text.push((97 + i % 26) as u8 as char);
    }
    text
}
fn bubble_sort(xs: &mut Vec<i32>) -> i32 {
    let n = xs.len();
    for i in 0..n {
        for j in 0..n - 1 - i {
            if xs[j] > xs[j + 1] {
                xs.swap(j, j + 1);
            }
        }
    }
    xs[0]
}
fn bfs(graph: &Vec<Vec<usize>>, start: usize) -> usize {
    let mut distance = BTreeMap::from([(start, 0)]);
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &other in &graph[node] {
            if !distance.contains_key(&other) {
                distance.insert(other, distance[&node] + 1);
                queue.push_back(other);
            }
        }
    }
    distance.len()
}
fn fib(n: i32) -> i32 {
    if n < 2 {
        return n;
    }
    fib(n - 1) + fib(n - 2)
}
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut found: i64 = 0;
    let mut drawn: u32 = 7;
    let mut graph: Vec<Vec<usize>> = vec![vec![0; 6]; 300];
    if arguments[1] == "bfs" { for row in graph.iter_mut() { for other in row.iter_mut() { drawn = drawn.wrapping_mul(1103515245).wrapping_add(12345); *other = (drawn >> 8) as usize % 300; } } }
    for _round in 0..arguments[2].parse().unwrap() {
        match arguments[1].as_str() {
            "int_loop" => found += int_loop(100000),
            "string_build" => found += string_build(2000).len() as i64,
            "bubble_sort" => found += bubble_sort(&mut (0..200).map(|i| (i * 7919) % 200 * 3 + 1).collect()) as i64,
            "bfs" => found += bfs(&graph, 0) as i64,
            _ => found += fib(18) as i64,
        }
    }
    println!("{}", found);
}
