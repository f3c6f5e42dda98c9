// outcome: returned
// delta: area=6.0
#[allow(dead_code)]
enum Shape {
    Empty,
    Circle(f64),
    Rect { w: f64, h: f64 },
    Many(Vec<Shape>),
    Named(String, Box<Shape>),
    Maybe(Option<Option<bool>>),
    Huge([u64; 32]),
}
fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Circle(r) => r * r * 3.0,
        Shape::Rect { w, h } => w * h,
        Shape::Many(all) => all.iter().map(area).sum(),
        Shape::Named(_, inner) => area(inner),
        _ => 0.0,
    }
}
fn main() {
    let inner = Shape::Rect { w: 2.0, h: 3.0 };
    let named = Shape::Named(String::from("r"), Box::new(inner));
    let many = Shape::Many(vec![named, Shape::Empty, Shape::Maybe(Some(None)), Shape::Huge([7; 32])]);
    let area = area(&many);
    println!("{}", area);
}
