//! The command line.
pub mod sessions;

pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
