// compile: code of the program's own in the compiler
#![crate_type = "proc-macro"]
extern crate proc_macro;
#[proc_macro]
pub fn evil(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    std::fs::write("@MARK@", "x").unwrap();
    input
}
