// outcome: exited 1
fn read(text: &str) -> Result<i32, std::num::ParseIntError> {
    let n: i32 = text.parse()?;
    Ok(n + 1)
}
fn main() -> Result<(), std::num::ParseIntError> {
    let n = read("41")?;
    println!("{}", n);
    let m = read("forty")?;
    println!("{}", m);
    Ok(())
}
