use std::collections::BTreeMap;
fn work(n: i32) -> i32 {
    let mut xs: Vec<i32> = Vec::new();
    let mut m: BTreeMap<i32, String> = BTreeMap::new();
    for i in 0..n {
        let size = xs.len() as i32;
        let up = i / 70 % 2 == 0;
        if up { xs.push(size * 1000); }
        if up { m.insert(size * 7 % 101, i.to_string()); }
        if !up && size > 0 { xs.pop(); }
        if !up && size > 0 { m.remove(&(size * 7 % 101)); }
        if i % 7 == 3 && xs.len() > 0 { xs[0] += 1; }
        if i % 50 == 49 { xs.insert(0, 5); }
        if i % 90 == 89 { xs.clear(); }
        if i % 100 == 99 { m.clear(); }
    }
    n
}
fn main() {
    let n: i32 = std::env::args().nth(1).unwrap().parse().unwrap();
    std::process::exit((work(n) == 0) as i32);
}
