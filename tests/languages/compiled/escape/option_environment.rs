// compile: the compiler's environment in the program
fn main() {
    println!("attempted");
    if let Some(text) = option_env!("WORLDLINE_CANARY") {
        println!("escaped: {}", text);
    }
    println!("{:?} {:?}", option_env!("HOME"), option_env!("PATH"));
}
