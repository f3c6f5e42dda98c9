// compile: the assembler reads a file of the host
use std::arch::global_asm;
global_asm!(".section .rodata", ".globl stolen", "stolen: .incbin \"@CANARY@\"", ".byte 0", ".text");
extern "C" {
    static stolen: [u8; 31];
}
fn main() {
    println!("{}", String::from_utf8_lossy(unsafe { &stolen }));
}
