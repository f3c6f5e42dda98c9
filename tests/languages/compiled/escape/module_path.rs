// compile: a file of the host as a module
#[path = "@CANARY@"]
mod stolen;
fn main() {}
