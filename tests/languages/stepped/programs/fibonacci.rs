fn slow(n: u32) -> u64 {
    if n < 2 {
        return n as u64;
    }
    let a = slow(n - 1);
    let b = slow(n - 2);
    return a + b;
}
fn fast(n: u32) -> u64 {
    let mut a: u64 = 0;
    let mut b: u64 = 1;
    let mut left = n;
    while left > 0 {
        let next = a + b;
        a = b;
        b = next;
        left -= 1;
    }
    return a;
}
fn main() {
    let first = slow(6);
    let second = fast(50);
    let is_even = second % 2 == 0;
    println!("{} {} {}", first, second, is_even);
}
