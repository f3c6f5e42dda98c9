use std::collections::BTreeMap;
#[derive(Debug)]
enum Shape { Circle(f64), Rect { w: i32, h: i32 }, Empty }
struct Stack { items: Vec<i32> }
impl Stack {
    fn new() -> Self { Stack { items: Vec::new() } }
    fn push(&mut self, x: i32) -> usize {
        self.items.push(x);
        self.items.len()
    }
}
fn area(s: &Shape) -> f64 {
    match s {
        Shape::Circle(r) => r * 2.0,
        Shape::Rect { w, h } => (w * h) as f64,
        Shape::Empty => 0.0,
    }
}
fn parse(s: &str) -> Result<i32, String> {
    let n: i32 = s.parse().map_err(|_| format!("bad {}", s))?;
    Ok(n + 1)
}
fn main() {
    let mut st = Stack::new();
    for i in 0..3 {
        st.push(i * i);
    }
    let shapes = vec![Shape::Circle(1.5), Shape::Rect { w: 2, h: 3 }, Shape::Empty];
    let mut total = 0.0;
    for s in &shapes {
        total += area(s);
    }
    let mut m = BTreeMap::new();
    m.insert("a", 1);
    if let Some(v) = m.get_mut("a") {
        *v += 1;
    }
    let moved = st;
    let sum: i32 = moved.items.iter().map(|x| x + 1).sum();
    let mut n = 3;
    let r = loop {
        n -= 1;
        if n == 0 { break 10; }
    };
    println!("{} {} {:?} {:?} {}", total, sum, parse("4"), parse("x"), r);
    let bad: Vec<i32> = Vec::new();
    println!("{}", bad[n as usize]);
}
