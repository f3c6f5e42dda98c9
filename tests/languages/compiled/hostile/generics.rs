// outcome: returned
// delta: m='b'
fn largest<T: PartialOrd + Copy>(cells: &[T]) -> T {
    let mut best = cells[0];
    for &cell in cells {
        if cell > best {
            best = cell;
        }
    }
    best
}
fn main() {
    let n = largest(&[1, 5, 2]);
    let m = largest(&['a', 'b']);
    let x = largest(&[0.5, 0.25]);
    println!("{} {} {}", n, m, x);
}
