pub fn twice(n: i32) -> i32 {
    let r = n * 2;
    r
}
