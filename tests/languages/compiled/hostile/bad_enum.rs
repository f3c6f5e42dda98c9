// outcome: exited 9
// series: colour = Colour.Red | 9
#[derive(Clone, Copy)]
#[repr(u8)]
#[allow(dead_code)]
enum Colour {
    Red = 1,
    Green = 2,
}
fn main() {
    let mut colour: Colour = Colour::Red;
    let mut n = 0;
    let place = &mut colour as *mut Colour as *mut u8;
    unsafe { *place = 9 };
    n += 1;
    let seen = unsafe { *place } as i32;
    std::process::exit(seen * n);
}
