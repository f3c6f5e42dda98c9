// outcome: returned
// delta: sum=3
use std::mem::MaybeUninit;
fn main() {
    let mut cells: [MaybeUninit<i32>; 3] = [MaybeUninit::uninit(); 3];
    cells[0].write(1);
    cells[2].write(2);
    let sum = unsafe { cells[0].assume_init() + cells[2].assume_init() };
    println!("{}", sum);
}
