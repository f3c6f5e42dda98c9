// outcome: exited 9
// delta: n=9
struct Loud;
impl Drop for Loud {
    fn drop(&mut self) {
        println!("never");
    }
}
fn main() {
    let _loud = Loud;
    let n = 9;
    std::process::exit(n);
}
