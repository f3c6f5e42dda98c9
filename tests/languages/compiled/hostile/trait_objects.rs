// outcome: returned
// delta: total=7
trait Speak {
    fn say(&self) -> i32;
}
struct Cat;
struct Dog {
    loud: i32,
}
impl Speak for Cat {
    fn say(&self) -> i32 {
        1
    }
}
impl Speak for Dog {
    fn say(&self) -> i32 {
        self.loud
    }
}
fn main() {
    let all: Vec<Box<dyn Speak>> = vec![Box::new(Cat), Box::new(Dog { loud: 6 })];
    let mut total = 0;
    for one in all.iter() {
        total += one.say();
    }
    println!("{}", total);
}
