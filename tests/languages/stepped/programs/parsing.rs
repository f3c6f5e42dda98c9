fn number(text: &str) -> Result<i32, String> {
    let letters = text.as_bytes();
    let mut value: i32 = 0;
    let mut at = 0;
    while at < letters.len() {
        let digit = letters[at] as i32 - 48;
        if digit < 0 || digit > 9 {
            return Err(text.to_string());
        }
        value = value * 10 + digit;
        at += 1;
    }
    return Ok(value);
}
fn sum(texts: [&str; 3]) -> Option<i32> {
    let mut total = 0;
    for text in texts {
        match number(text) {
            Ok(value) => {
                total += value;
            }
            Err(_) => {
                return None;
            }
        }
    }
    return Some(total);
}
fn main() {
    let mut failed = 0;
    let good = sum(["12", "30", "5"]);
    let bad = sum(["12", "3x", "4"]);
    if bad.is_none() {
        failed += 1;
    }
    println!("{:?} {}", good, failed);
}
