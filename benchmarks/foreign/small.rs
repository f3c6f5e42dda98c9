fn main() {
    let mut seen: Vec<i32> = Vec::new();
    let mut total = 0;
    for i in 0..5 {
        total += i;
        seen.push(total);
    }
    println!("{}", total);
}
