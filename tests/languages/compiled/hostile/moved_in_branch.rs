// outcome: returned
// delta: n=2
fn eat(v: Vec<i32>) -> usize {
    v.len()
}
fn main() {
    let cells = vec![1, 2];
    let flag = std::env::args().count() > 0;
    let mut n = 0;
    if flag {
        n = eat(cells);
    } else {
        println!("{:?}", cells);
    }
    println!("{}", n);
}
