// outcome: exited 101
use std::cell::RefCell;
fn main() {
    let cell = RefCell::new(5);
    let one = cell.borrow_mut();
    let two = cell.borrow_mut();
    println!("{} {}", one, two);
}
