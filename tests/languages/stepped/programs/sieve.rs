fn divisors(n: u32) -> u32 {
    let mut count = 0;
    let mut k = 1;
    loop {
        if k > n {
            break;
        }
        if n % k == 0 {
            count += 1;
        }
        k += 1;
    }
    return count;
}
fn main() {
    let mut primes = 0;
    let mut perfect: f32 = 0.0;
    let mut n = 2;
    while n < 9 {
        let count = divisors(n);
        if count == 2 {
            primes += 1;
        } else {
            perfect += n as f32 / 2.0;
        }
        n += 1;
    }
    println!("{} {}", primes, perfect);
}
