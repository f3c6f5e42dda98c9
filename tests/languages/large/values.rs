use std::collections::BTreeMap;
fn work(n: i32) -> usize {
    let mut xs = vec![0; 100];
    let mut m: BTreeMap<i32, String> = BTreeMap::new();
    let mut s = String::new();
    for i in 0..n {
        let size = xs.len();
        if i % 6 == 0 { xs.push(i); }
        if i % 6 == 1 { xs.insert(0, i); }
        if i % 6 == 2 { xs[i as usize * 37 % size] = 0 - i; }
        if i % 6 == 3 { xs.remove(size / 2); }
        if i % 6 == 4 { s.push_str(if i % 4 != 0 { "xyz" } else { "é" }); }
        if i % 6 == 5 { m.insert(i * 31 % 97, "é".to_string() + &i.to_string()); }
    }
    s.len()
}
fn main() {
    let n: i32 = std::env::args().nth(1).unwrap().parse().unwrap();
    std::process::exit((work(n) == 0) as i32);
}
