use std::collections::HashMap;
struct Row { cells: [u64; 160] }
fn fill(seed: u64) -> HashMap<u64, u64> {
    let row = Row { cells: [seed; 160] };
    let mut m = HashMap::new();
    for c in 0..4usize {
        m.insert(c as u64, row.cells[c] + c as u64);
    }
    m
}
fn huge(seed: u64) -> Vec<u64> {
    let rows = [[seed; 512]; 6];
    let mut v = Vec::new();
    v.push(rows[2][3]);
    v.push(rows[5][0] + 1);
    v
}
fn main() {
    let m = fill(3);
    let v = huge(5);
    println!("{} {}", m.len(), v.len());
}
