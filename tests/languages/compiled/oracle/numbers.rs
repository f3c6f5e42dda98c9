fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        let rest = a % b;
        a = b;
        b = rest;
    }
    a
}
fn primes(most: usize) -> Vec<usize> {
    let mut marks = vec![true; most + 1];
    let mut found = Vec::new();
    let mut n = 2;
    while n <= most {
        if marks[n] {
            found.push(n);
            let mut k = n * n;
            while k <= most {
                marks[k] = false;
                k += n;
            }
        }
        n += 1;
    }
    found
}
struct Account {
    balance: i64,
}
impl Account {
    fn pay(&mut self, amount: i64) -> bool {
        let enough = self.balance >= amount;
        if enough {
            self.balance -= amount;
        }
        enough
    }
}
fn main() {
    let common = gcd(84, 36);
    let found = primes(30);
    let count = found.len();
    let mut account = Account { balance: 10 };
    let mut refused = 0;
    for amount in [3, 5, 4] {
        let done = account.pay(amount);
        if !done {
            refused += 1;
        }
    }
    let half = count as f64 / 4.0;
    println!("{} {} {} {} {}", common, count, refused, half, account.balance);
}
