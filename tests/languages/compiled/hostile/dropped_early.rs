// outcome: returned
// gone: name
fn main() {
    let name = String::from("short lived");
    let n = name.len();
    drop(name);
    let m = n * 2;
    println!("{}", m);
}
