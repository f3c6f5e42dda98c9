// outcome: returned
// delta: n=12
use std::arch::asm;
fn main() {
    let mut n: u64 = 5;
    unsafe {
        #[cfg(target_arch = "aarch64")]
        asm!("add {0}, {0}, #7", inout(reg) n);
        #[cfg(target_arch = "x86_64")]
        asm!("add {0}, 7", inout(reg) n);
    }
    println!("{}", n);
}
