// A vector that moves from one name to another: the name it left is gone.
fn sorted(mut values: Vec<i32>) -> Vec<i32> {
    for i in 1..values.len() {
        let mut j = i;
        while j > 0 && values[j - 1] > values[j] {
            values.swap(j - 1, j);
            j -= 1;
        }
    }
    values
}

fn main() {
    let drawn = vec![3, 1, 2];
    let ordered = sorted(drawn);
    let smallest = &ordered[0];
    println!("{} of {:?}", smallest, ordered);
}
