mod util;
fn main() {
    let x = util::twice(4);
    println!("{}", x);
}
