// outcome: exited 3
use std::process::ExitCode;
fn main() -> ExitCode {
    let code = 3;
    ExitCode::from(code)
}
