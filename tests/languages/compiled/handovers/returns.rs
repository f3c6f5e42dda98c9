#[derive(Clone, Copy)]
struct Padded {
    x: u8,
    y: i32,
}
struct Big {
    n: i32,
    cells: [i32; 10],
}
fn small(x: u8) -> Padded {
    let p = Padded { x, y: 1 };
    p
}
fn large(n: i32) -> Big {
    let b = Big { n, cells: [0; 10] };
    b
}
fn grown(b: Big) -> Big {
    let mut m = b;
    m.n += 1;
    m
}
fn paired(left: Big, right: Big) -> i32 {
    left.n + right.cells[0]
}
fn main() {
    let a = small(1);
    let copy = a;
    let mut b = large(2);
    for _ in 0..2 {
        b = grown(b);
    }
    let moved = b;
    b = large(7);
    b.n += 1;
    let same = large(9);
    let twin = large(9);
    println!("{}", paired(same, twin) + moved.n + b.n + i32::from(a.x + copy.x) + a.y);
}
