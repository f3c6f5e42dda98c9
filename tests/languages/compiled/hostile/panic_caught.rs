// outcome: returned
// delta: after=2
use std::panic;
fn fall(n: i32) -> i32 {
    let cells = vec![1, 2];
    cells[n as usize]
}
fn main() {
    panic::set_hook(Box::new(|_| {}));
    let caught = panic::catch_unwind(|| fall(7));
    let after = if caught.is_err() { 2 } else { 1 };
    println!("{}", after);
}
