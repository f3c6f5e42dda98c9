// outcome: returned
// delta: n=3
// gone: held
fn main() {
    let held = vec![1, 2, 3];
    let n = held.len();
    std::mem::forget(held);
    let after = n + 1;
    println!("{}", after);
}
