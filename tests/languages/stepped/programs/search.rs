fn position(cells: &[i64], wanted: i64) -> Option<usize> {
    let mut low = 0;
    let mut high = cells.len();
    while low < high {
        let middle = (low + high) / 2;
        let found = cells[middle];
        if found == wanted {
            return Some(middle);
        } else if found < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return None;
}
fn main() {
    let cells = [-4, 1, 3, 9, 12, 40];
    let mut hits = 0;
    let mut sum = 0;
    for wanted in [9, 2, 40] {
        if let Some(at) = position(&cells, wanted) {
            hits += 1;
            sum += at;
        }
    }
    println!("{} {}", hits, sum);
}
