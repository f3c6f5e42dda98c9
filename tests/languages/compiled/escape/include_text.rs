// compile: text of the host into the program
const STOLEN: &str = include_str!("@CANARY@");
fn main() {
    println!("{}", STOLEN);
    println!("escaped: it was there");
}
