fn main() {
    let xs = vec![1, 2, 3];
    let mut total = 0;
    for x in &xs {
        total += x;
    }
    println!("{}", total);
}
