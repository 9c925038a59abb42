//! Which shell runs a command line.

use std::{ffi::OsString, path::Path};

/// A shell that understands `-c`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    pub program: String,
}

impl Shell {
    /// The configured one; else `$SHELL` if it is bash, zsh or fish; else sh.
    pub fn find(configured: &str, shell_variable: Option<&str>) -> Shell {
        let known = |path: &&str| {
            let name = Path::new(path).file_name().and_then(|n| n.to_str());
            matches!(name, Some("bash" | "zsh" | "fish")) && Path::new(path).exists()
        };
        let program = match configured {
            "" => shell_variable.filter(known).unwrap_or("/bin/sh"),
            program => program,
        };
        Shell { program: program.to_owned() }
    }

    /// The last part of its path: which language it reads.
    pub fn name(&self) -> &str {
        Path::new(&self.program).file_name().and_then(|name| name.to_str()).unwrap_or(&self.program)
    }

    pub fn argv(&self, command: OsString) -> Vec<OsString> {
        vec![self.program.clone().into(), "-c".into(), command]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configured_then_variable_then_sh() {
        assert_eq!(Shell::find("/opt/ksh", Some("/bin/bash")).program, "/opt/ksh");
        assert_eq!(Shell::find("", Some("/usr/bin/tcsh")).program, "/bin/sh");
        assert_eq!(Shell::find("", None).program, "/bin/sh");
        assert_eq!(Shell::find("", Some("/nowhere/bash")).program, "/bin/sh");
        assert_eq!((Shell::find("/opt/fish", None).name(), Shell::find("ksh", None).name()), ("fish", "ksh"));
    }
}
