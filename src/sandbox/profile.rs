//! The profile that macOS's `sandbox-exec` takes, made from a policy. Of rules that fit, the last one counts.

use super::{
    Policy,
    places::{self, Resolver},
};
use std::{fmt::Write, path::Path};

/// The text of the profile.
pub fn profile(policy: &Policy) -> String {
    let mut resolver = Resolver::default();
    let roots = policy.roots(&mut resolver);
    let mut text = String::from("(version 1)\n(allow default)\n(deny file-write*)\n(allow file-write*");
    for device in ["null", "zero", "random", "urandom", "tty", "ptmx", "dtracehelper"] {
        _ = write!(text, "\n  (literal \"/dev/{device}\")");
    }
    text.push_str("\n  (regex #\"^/dev/ttys[0-9]+$\")");
    for root in &roots {
        _ = write!(text, "\n  (subpath {})", quoted(root));
    }
    text.push_str(")\n");
    for place in policy.protect.iter().map(|p| resolver.itself(p)) {
        _ = writeln!(text, "(deny file-write* (subpath {}))", quoted(&place));
        // What leads to it must keep its name.
        let above = place.ancestors().skip(1).take_while(|a| places::under_any(a, &roots));
        for folder in above {
            _ = writeln!(text, "(deny file-write-unlink (literal {}))", quoted(folder));
        }
    }
    for place in policy.read_deny.iter().map(|p| resolver.real(p)) {
        _ = writeln!(text, "(deny file-read-data file-write* (subpath {}))", quoted(&place));
    }
    for socket in policy.sockets.iter().map(|p| resolver.real(p)) {
        _ = writeln!(text, "(deny network-outbound (subpath {}))", quoted(&socket));
    }
    text.push_str("(deny signal)\n(allow signal (target same-sandbox))\n(deny appleevent-send)\n");
    if !policy.network {
        text.push_str("(deny network*)\n(allow network* (local ip \"localhost:*\") (remote ip \"localhost:*\"))\n");
    }
    text
}

fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_says_what_the_policy_says() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path().canonicalize().expect("it exists");
        let work = root.join("a \"b\"");
        std::fs::create_dir(&work).expect("a folder");
        let policy = Policy {
            read_deny: vec![root.join("secret")],
            protect: vec![work.join(".git/hooks")],
            network: false,
            ..Policy::of(&work)
        };
        let text = profile(&policy);
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing in\n{text}"));
        let shown = format!("{}/a \\\"b\\\"", root.display());
        let denied = at("(deny file-write*)");
        let allowed = at(&format!("(subpath \"{shown}\")"));
        let protected = at(&format!("(deny file-write* (subpath \"{shown}/.git/hooks\"))"));
        assert!(denied < allowed && allowed < protected, "the order decides:\n{text}");
        at(&format!("(deny file-write-unlink (literal \"{shown}/.git\"))"));
        at(&format!("(deny file-read-data file-write* (subpath \"{}/secret\"))", root.display()));
        at("(deny network*)");
        assert!(!profile(&Policy { network: true, ..policy }).contains("(deny network*)"));
    }
}
