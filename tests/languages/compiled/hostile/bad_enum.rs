// outcome: killed SIGABRT
#[derive(Clone, Copy)]
#[repr(u8)]
#[allow(dead_code)]
enum Colour {
    Red = 1,
    Green = 2,
}
fn main() {
    let colour: Colour = unsafe { std::mem::transmute(9u8) };
    let mut n = colour as i32;
    n = if n > 2 { 1 } else { 0 };
    std::process::exit(n);
}
