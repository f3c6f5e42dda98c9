// outcome: returned
// stdin: '4\n5 6\n'
// delta: sum=15
use std::io::{self, BufRead};
fn main() {
    let mut sum = 0;
    for line in io::stdin().lock().lines() {
        for word in line.unwrap().split_whitespace() {
            sum += word.parse::<i32>().unwrap();
        }
    }
    println!("{}", sum);
}
