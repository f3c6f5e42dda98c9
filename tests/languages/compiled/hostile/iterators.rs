// outcome: returned
// delta: total=30
fn main() {
    let cells = vec![1, 2, 3, 4];
    let total: i32 = cells
        .iter()
        .map(|x| x * x)
        .filter(|x| x % 2 == 0 || *x > 0)
        .sum();
    let words: Vec<String> = "a b c".split(' ').map(String::from).collect();
    println!("{} {:?}", total, words);
}
