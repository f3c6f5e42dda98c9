// run: files of the host
include!("outside.rs");
fn main() {
    println!("attempted");
    for path in [given(2), "/etc/passwd".into(), "/etc/shadow".into(), "/proc/1/environ".into(), given(3) + "/.bashrc"] {
        let read = std::fs::read_to_string(&path);
        println!("{:?}", read);
        tried(&path, read);
    }
}
