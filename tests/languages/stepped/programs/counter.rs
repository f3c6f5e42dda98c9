trait Tick {
    fn tick(&mut self, by: i16) -> i16;
}
struct Plain {
    value: i16,
}
struct Wrapping {
    value: i16,
    most: i16,
}
impl Tick for Plain {
    fn tick(&mut self, by: i16) -> i16 {
        self.value += by;
        return self.value;
    }
}
impl Tick for Wrapping {
    fn tick(&mut self, by: i16) -> i16 {
        let next = self.value + by;
        self.value = next % self.most;
        return self.value;
    }
}
fn run(counter: &mut dyn Tick, rounds: i16) -> i16 {
    let mut last = 0;
    for round in 0..rounds {
        let by = round + 1;
        last = counter.tick(by);
    }
    return last;
}
fn main() {
    let mut plain = Plain { value: 0 };
    let mut wrapping = Wrapping { value: 0, most: 5 };
    let first = run(&mut plain, 4);
    let second = run(&mut wrapping, 4);
    println!("{} {}", first, second);
}
