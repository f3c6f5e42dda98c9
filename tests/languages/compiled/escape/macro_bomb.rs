// compile: a macro without an end
#![recursion_limit = "4294967295"]
macro_rules! bomb { ($($x:tt)*) => { bomb!($($x)* $($x)*) } }
fn main() {
    bomb!(a);
}
