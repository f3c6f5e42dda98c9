// run: what the environment tells
include!("outside.rs");
fn main() {
    println!("attempted");
    for (name, value) in std::env::vars() {
        println!("{}={}", name, value);
    }
}
