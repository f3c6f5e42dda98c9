// outcome: killed SIGABRT
fn main() {
    let n = 1;
    if n == 1 {
        std::process::abort();
    }
}
