// run: what the kernel keeps for its master
include!("outside.rs");
fn main() {
    println!("attempted");
    let numbers: [i64; 8] = if cfg!(target_arch = "aarch64") { [117, 40, 97, 280, 241, 425, 282, 51] } else { [101, 165, 272, 321, 298, 425, 323, 161] };
    for number in numbers {
        let got = unsafe { syscall(number, 0, 0, 0, 0, 0) };
        if got >= 0 {
            println!("escaped: {}", number);
        }
    }
    if unsafe { setuid(0) } == 0 {
        println!("escaped: root");
    }
}
