// outcome: exited 101
struct Bad {
    v: i32,
}
impl Drop for Bad {
    fn drop(&mut self) {
        if self.v == 1 {
            panic!("in drop");
        }
    }
}
fn main() {
    let bad = Bad { v: 1 };
    println!("{}", bad.v);
}
