enum Shape {
    Circle(f64),
    Rectangle { width: f64, height: f64 },
}
fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Circle(radius) => {
            let square = radius * radius;
            return 3.0 * square;
        }
        Shape::Rectangle { width, height } => {
            let product = width * height;
            return product;
        }
    }
}
fn main() {
    let shapes = [Shape::Circle(2.0), Shape::Rectangle { width: 1.5, height: 4.0 }];
    let mut total = 0.0;
    let mut largest = 0.0;
    let mut at = 0;
    while at < shapes.len() {
        let size = area(&shapes[at]);
        total += size;
        if size > largest {
            largest = size;
        }
        at += 1;
    }
    println!("{} {}", total, largest);
}
