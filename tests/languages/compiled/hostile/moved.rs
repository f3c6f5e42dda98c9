// outcome: returned
// gone: first
// delta: second='a text'
fn main() {
    let first = String::from("a text");
    let second = first;
    let n = second.len();
    println!("{} {}", second, n);
}
