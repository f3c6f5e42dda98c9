// What a probe in Rust knows of the outside: pasted over `include!("outside.rs");` by the test.
#[allow(dead_code)]
fn given(at: usize) -> String { std::env::args().nth(at).unwrap_or_default() }
#[allow(dead_code)]
fn tried<T, E: std::fmt::Display>(what: &str, result: Result<T, E>) {
    match result {
        Ok(_) => println!("escaped: {}", what),
        Err(error) => println!("refused: {} {}", what, error),
    }
}
#[allow(dead_code)]
extern "C" {
    fn syscall(number: i64, ...) -> i64;
    fn ptrace(request: i64, ...) -> i64;
    fn kill(pid: i32, number: i32) -> i32;
    fn fork() -> i32;
    fn setuid(id: u32) -> i32;
}
