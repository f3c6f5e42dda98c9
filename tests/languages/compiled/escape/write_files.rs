// run: a file outside
include!("outside.rs");
fn main() {
    println!("attempted");
    tried("mark", std::fs::write(given(1), "x"));
    tried("canary", std::fs::write(given(2), "x"));
    tried("tool", std::fs::write("/usr/bin/cc", "x"));
    tried("rename", std::fs::rename("/usr/bin/env", "/usr/bin/env2"));
}
