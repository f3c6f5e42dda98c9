mod words;
fn main() {
    let mut total = 0;
    for n in 1..4 {
        total += n;
    }
    let text = words::gather(vec!["a".to_string(), "b".to_string(), "c".to_string()]);
    println!("{} {}", total, text);
}
