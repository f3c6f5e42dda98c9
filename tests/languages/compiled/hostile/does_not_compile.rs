// outcome: unsupported source
// steps: >= 0
// plain: skip
fn main() {
    let first = String::from("a");
    let second = first;
    println!("{} {}", first, second);
}
