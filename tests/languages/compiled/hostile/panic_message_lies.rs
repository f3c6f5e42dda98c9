// outcome: exited 101
fn main() {
    let n = 1;
    if n == 1 {
        std::panic::panic_any(n);
    }
}
