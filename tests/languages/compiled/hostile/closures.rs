// outcome: returned
// delta: total=12
fn apply(f: &dyn Fn(i32) -> i32, n: i32) -> i32 {
    f(n)
}
fn main() {
    let base = 5;
    let add = move |x: i32| x + base;
    let mut seen = 0;
    let mut count = || seen += 1;
    count();
    count();
    let total = apply(&add, 5) + seen;
    println!("{}", total);
}
