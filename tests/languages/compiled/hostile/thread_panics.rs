// outcome: returned
// note: threads
fn main() {
    let worker = std::thread::spawn(|| {
        let n: Option<i32> = None;
        n.unwrap()
    });
    let failed = worker.join().is_err();
    println!("{}", failed);
}
