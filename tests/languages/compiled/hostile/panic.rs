// outcome: exited 101
// delta: n=3
fn fall(n: i32) -> i32 {
    if n > 2 {
        panic!("too much: {}", n);
    }
    n
}
fn main() {
    let n = 3;
    println!("before");
    let m = fall(n);
    println!("{}", m);
}
