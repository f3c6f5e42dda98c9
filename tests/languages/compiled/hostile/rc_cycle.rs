// outcome: returned
// delta: count=2
use std::cell::RefCell;
use std::rc::Rc;
struct Node {
    value: i32,
    next: RefCell<Option<Rc<Node>>>,
}
fn main() {
    let a = Rc::new(Node { value: 1, next: RefCell::new(None) });
    let b = Rc::new(Node { value: 2, next: RefCell::new(Some(a.clone())) });
    *a.next.borrow_mut() = Some(b.clone());
    let count = Rc::strong_count(&a);
    println!("{} {} {}", count, a.value, b.value);
}
