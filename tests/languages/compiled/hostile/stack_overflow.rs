// outcome: killed SIGABRT
fn down(n: u64) -> u64 {
    let room = [n; 512];
    if n == u64::MAX {
        return room[0];
    }
    down(n + 1) + room[(n % 512) as usize]
}
fn main() {
    println!("{}", down(0));
}
