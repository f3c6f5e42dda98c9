// run: a process that outlives the run
include!("outside.rs");
fn main() {
    println!("attempted");
    let name = given(8);
    if unsafe { fork() } == 0 {
        let _ = std::fs::write("/proc/self/comm", &name);
        loop {
            std::thread::sleep(std::time::Duration::from_secs(600));
        }
    }
}
