// outcome: killed SIGSEGV
// delta: n=5
fn main() {
    let n = 5;
    println!("before");
    unsafe {
        *(16 as *mut i32) = n;
    }
}
