// compile: a file of the host as source
include!("@CANARY@");
fn main() {}
