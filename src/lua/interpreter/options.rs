//! The command line of `lua`: options first, then a script and its arguments.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// What an option does, in the order in which they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// `-e`
    Execute(Vec<u8>),
    /// `-l`
    Require(Vec<u8>),
    /// `-W`
    Warn,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    pub steps: Vec<Step>,
    pub interactive: bool,
    pub version: bool,
    pub no_environment: bool,
    /// Where the script's name stands.
    pub script: Option<usize>,
    /// The script is a file even if it is called `-`.
    pub literal: bool,
}

impl Parsed {
    /// Whether something was to be done already, so that standard input isn't read.
    pub fn did_something(&self) -> bool {
        self.version || self.steps.iter().any(|step| matches!(step, Step::Execute(_)))
    }
}

/// The error is what to say before the usage.
pub fn parse(args: &[OsString]) -> Result<Parsed, String> {
    let mut parsed = Parsed::default();
    let mut index = 0;
    while let Some(word) = args.get(index).map(|w| w.as_bytes()) {
        match word {
            b"-" => break,
            b"--" => {
                parsed.literal = true;
                index += 1;
                break;
            }
            b"-E" => parsed.no_environment = true,
            b"-W" => parsed.steps.push(Step::Warn),
            b"-v" => parsed.version = true,
            b"-i" => (parsed.interactive, parsed.version) = (true, true),
            [b'-', option @ (b'e' | b'l'), rest @ ..] => {
                let value = match rest {
                    [] => {
                        index += 1;
                        let next = args.get(index).map(|w| w.as_bytes()).filter(|w| !w.starts_with(b"-"));
                        next.ok_or_else(|| format!("'-{}' needs argument", *option as char))?
                    }
                    rest => rest,
                };
                let step = if *option == b'e' { Step::Execute } else { Step::Require };
                parsed.steps.push(step(value.to_vec()));
            }
            [b'-', ..] => return Err(format!("unrecognized option '{}'", String::from_utf8_lossy(word))),
            _ => break,
        }
        index += 1;
    }
    parsed.script = (index < args.len()).then_some(index);
    Ok(parsed)
}

/// What stands below a mistake in the options.
pub fn usage(program: &str) -> String {
    format!(
        "usage: {program} [options] [script [args]]\n\
         Options:\n  \
         -e CODE   run CODE\n  \
         -l MOD    require MOD into the global MOD\n  \
         -l G=MOD  require MOD into the global G\n  \
         -i        then be interactive\n  \
         -v        say the version\n  \
         -E        take nothing from the environment\n  \
         -W        show warnings\n  \
         --        no more options\n  \
         -         no more options; the script is standard input"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Parsed, String> {
        parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn r48_options_end_where_the_script_begins() {
        let all = parsed("-e x=1 -lm -l g=m -W s.lua -e y").unwrap();
        let text = |t: &str| t.as_bytes().to_vec();
        let want = [Step::Execute(text("x=1")), Step::Require(text("m")), Step::Require(text("g=m")), Step::Warn];
        assert_eq!((all.steps.as_slice(), all.script), (&want[..], Some(5 + 1)));
        assert_eq!(parsed("").unwrap(), Parsed::default());
        assert_eq!(parsed("-").unwrap().script, Some(0));
        assert_eq!(parsed("--").unwrap().script, None);
        let literal = parsed("-- -").unwrap();
        assert!(literal.literal && literal.script == Some(1));
        assert!(parsed("-i").unwrap().version);
    }

    #[test]
    fn r48_mistakes() {
        for (line, said) in [
            ("-e", "'-e' needs argument"),
            ("-l -e", "'-l' needs argument"),
            ("-z", "unrecognized option '-z'"),
            ("-vv", "unrecognized option '-vv'"),
            ("--help", "unrecognized option '--help'"),
        ] {
            assert_eq!(parsed(line).unwrap_err(), said, "{line}");
        }
    }
}
