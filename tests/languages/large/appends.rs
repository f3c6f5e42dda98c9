fn work(n: i32) -> i32 {
    let mut xs = Vec::new();
    for i in 0..n {
        xs.push(i);
    }
    n
}
fn main() {
    let n: i32 = std::env::args().nth(1).unwrap().parse().unwrap();
    std::process::exit((work(n) == 0) as i32);
}
