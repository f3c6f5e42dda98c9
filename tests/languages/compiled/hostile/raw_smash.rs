// outcome: exited 2
fn main() {
    let mut cells = vec![1, 2, 3];
    let mut n = cells.len();
    unsafe {
        let raw = &mut cells as *mut Vec<i32> as *mut u64;
        *raw = u64::MAX;
        *raw.add(1) = 0x4141414141414141;
        *raw.add(2) = 0x4141414141414141;
    }
    n -= 1;
    std::process::exit(n as i32);
}
