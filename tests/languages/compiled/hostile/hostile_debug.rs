// outcome: returned
// delta: n=4
use std::fmt;
use std::ops::Deref;
struct Trap {
    v: i32,
}
impl fmt::Debug for Trap {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        std::process::abort()
    }
}
impl Deref for Trap {
    type Target = i32;
    fn deref(&self) -> &i32 {
        std::process::abort()
    }
}
fn main() {
    let trap = Trap { v: 4 };
    let n = trap.v;
    println!("{}", n);
}
