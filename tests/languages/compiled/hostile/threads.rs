// outcome: returned
// note: threads
use std::sync::{Arc, Mutex};
use std::thread;
fn main() {
    let total = Arc::new(Mutex::new(0));
    let mut workers = Vec::new();
    for i in 0..4 {
        let own = total.clone();
        workers.push(thread::spawn(move || {
            for _ in 0..10 {
                *own.lock().unwrap() += i;
            }
        }));
    }
    for worker in workers {
        worker.join().unwrap();
    }
    println!("{}", total.lock().unwrap());
}
