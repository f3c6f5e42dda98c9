// compile: arguments of the program's own for the linker
#[link(name = "c", kind = "dylib", modifiers = "+verbatim")]
extern "C" {}
#[link(name = ":@CANARY@")]
extern "C" {}
fn main() {
    println!("attempted");
}
