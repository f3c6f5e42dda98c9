// outcome: returned
// delta: n=4
use std::mem::ManuallyDrop;
fn main() {
    let mut kept = ManuallyDrop::new(vec![1, 2, 3, 4]);
    let n = kept.len();
    unsafe {
        ManuallyDrop::drop(&mut kept);
    }
    let m = n + 1;
    println!("{}", m);
}
