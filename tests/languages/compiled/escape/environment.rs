// compile: text of the host into the program
const STOLEN: &str = env!("WORLDLINE_CANARY");
fn main() {
    println!("{}", STOLEN);
    println!("escaped: it was there");
}
