// outcome: limit steps
// limits: steps=5000
// plain: skip
fn main() {
    let mut n: u64 = 0;
    loop {
        n = n.wrapping_add(1);
        if n == u64::MAX {
            break;
        }
    }
}
