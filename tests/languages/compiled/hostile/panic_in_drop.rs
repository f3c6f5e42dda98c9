// outcome: killed SIGABRT
struct Bad;
impl Drop for Bad {
    fn drop(&mut self) {
        panic!("in drop");
    }
}
fn main() {
    let _bad = Bad;
    let n: i32 = "x".len() as i32;
    if n == 1 {
        panic!("first");
    }
}
