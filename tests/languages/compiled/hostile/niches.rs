// outcome: returned
// delta: a=None
// delta: b=Some('x')
// delta: f=None
use std::num::NonZeroU8;
fn main() {
    let a: Option<&str> = None;
    let b = Some("x");
    let c: Option<Box<i32>> = Some(Box::new(5));
    let d: Option<NonZeroU8> = NonZeroU8::new(3);
    let e: Option<Option<bool>> = Some(None);
    let f: Option<char> = None;
    let g: Result<u8, String> = Err(String::from("no"));
    println!("{:?} {:?} {:?} {:?} {:?} {:?} {:?}", a, b, c, d, e, f, g);
}
