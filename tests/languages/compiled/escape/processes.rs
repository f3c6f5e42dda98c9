// run: processes of the host
include!("outside.rs");
fn main() {
    println!("attempted");
    let victim: i32 = given(7).parse().unwrap();
    unsafe {
        if kill(victim, 9) == 0 || ptrace(16, victim, 0, 0) == 0 {
            println!("escaped: victim");
        }
    }
    if std::fs::read_dir("/proc").map(|all| all.filter(|one| one.as_ref().unwrap().file_name().to_string_lossy().parse::<u32>().is_ok()).count()).unwrap_or(0) > 20 {
        println!("escaped: processes");
    }
}
