//! Settings of git that start programs, or lead git to settings and folders that somebody else chose.

/// Such a setting, and the lines that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starter {
    /// `core.hookspath=evil`: section and key in lower case.
    pub text: String,
    /// From the first to the one after the last, counted from 0.
    pub lines: (usize, usize),
}

/// All of them in a file's text.
pub fn starters(text: &str) -> Vec<Starter> {
    let (mut section, mut found) = (String::new(), Vec::new());
    for (lines, line) in logical(text) {
        let mut rest = line.trim();
        while let Some(header) = rest.strip_prefix('[') {
            let Some(end) = header_end(header) else { break };
            section = name_of(&header[..end]);
            rest = header[end + 1..].trim();
        }
        if rest.is_empty() || rest.starts_with(['#', ';', '[']) {
            continue;
        }
        let (key, value) = rest.split_once('=').unwrap_or((rest, "true"));
        let (key, value) = (key.trim().to_lowercase(), value.trim().trim_matches('"').trim());
        if starts(&section, &key, value) {
            found.push(Starter { text: format!("{section}.{key}={value}"), lines });
        }
    }
    found
}

/// The text without the given settings; whatever else it holds, it may be no UTF-8, stays as it is.
pub fn without(text: &[u8], starters: &[Starter]) -> Vec<u8> {
    let gone = |n: usize| starters.iter().any(|s| (s.lines.0..s.lines.1).contains(&n));
    let lines = text.split_inclusive(|byte| *byte == b'\n').enumerate();
    lines.filter(|(n, _)| !gone(*n)).flat_map(|(_, line)| line).copied().collect()
}

/// Lines that end in a backslash go on in the next one.
fn logical(text: &str) -> Vec<((usize, usize), String)> {
    let mut joined: Vec<((usize, usize), String)> = Vec::new();
    let mut open = false;
    for (n, line) in text.lines().enumerate() {
        let cut = line.strip_suffix('\\');
        match joined.last_mut().filter(|_| open) {
            Some((lines, all)) => {
                lines.1 = n + 1;
                all.push_str(cut.unwrap_or(line));
            }
            None => joined.push(((n, n + 1), cut.unwrap_or(line).to_owned())),
        }
        open = cut.is_some();
    }
    joined
}

/// Where a header ends; its name may hold brackets in quotes.
fn header_end(header: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    header.char_indices().find_map(|(at, c)| {
        let literal = std::mem::take(&mut escaped);
        match c {
            '\\' if quoted && !literal => escaped = true,
            '"' if !literal => quoted = !quoted,
            ']' if !quoted => return Some(at),
            _ => {}
        }
        None
    })
}

/// `filter "lfs"` as `filter.lfs`.
fn name_of(header: &str) -> String {
    match header.split_once('"') {
        Some((section, rest)) => format!("{}.{}", section.trim().to_lowercase(), rest.trim_end().trim_end_matches('"')),
        None => header.trim().to_lowercase(),
    }
}

/// Ends of keys that name a program, whatever the section.
const PROGRAMS: [&str; 16] = [
    "cmd",
    "command",
    "program",
    "helper",
    "hook",
    "hookspath",
    "editor",
    "pager",
    "driver",
    "textconv",
    "askpass",
    "uploadpack",
    "receivepack",
    "difffilter",
    "fsmonitor",
    "gitproxy",
];

fn starts(section: &str, key: &str, value: &str) -> bool {
    let top = section.split('.').next().unwrap_or_default();
    if PROGRAMS.iter().any(|end| key.ends_with(end)) {
        // git writes this one by itself, to say that there is no monitor.
        return !(key == "fsmonitor" && matches!(value, "false" | "true"));
    }
    match top {
        "include" | "includeif" | "pager" | "credential" | "protocol" => true,
        "alias" | "submodule" => value.starts_with('!'),
        "filter" => matches!(key, "clean" | "smudge" | "process"),
        "core" => matches!(key, "worktree" | "attributesfile"),
        "diff" => key == "external",
        "init" => key == "templatedir",
        "imap" => key == "tunnel",
        "mergetool" | "difftool" | "browser" | "man" | "lfs" => key == "path",
        "remote" => key == "vcs" || value.starts_with("ext::"),
        "url" => section.contains("ext::"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        starters(text).into_iter().map(|s| s.text).collect()
    }

    #[test]
    fn programs_are_found_however_they_are_written() {
        for (text, what) in [
            ("[core]\n\thooksPath = evil", "core.hookspath=evil"),
            ("[CORE]fsmonitor=\"./evil\"", "core.fsmonitor=./evil"),
            ("[core] ; no\n sshCommand = a \\\n b", "core.sshcommand=a  b"),
            ("[alias]\n x = !sh -c evil", "alias.x=!sh -c evil"),
            ("[filter \"a]b\"]\nclean = evil", "filter.a]b.clean=evil"),
            ("[filter \"a\"] required\n smudge = evil", "filter.a.smudge=evil"),
            ("[diff \"x\"]\ntextconv = evil", "diff.x.textconv=evil"),
            ("[merge \"x\"]\ndriver = evil", "merge.x.driver=evil"),
            ("[credential \"https://x\"]\nhelper = evil", "credential.https://x.helper=evil"),
            ("[gpg \"ssh\"]\nprogram = evil", "gpg.ssh.program=evil"),
            ("[includeIf \"gitdir:/\"]\npath = evil", "includeif.gitdir:/.path=evil"),
            ("[sequence]\neditor = evil", "sequence.editor=evil"),
            ("[remote \"o\"]\nurl = ext::sh -c evil", "remote.o.url=ext::sh -c evil"),
        ] {
            assert_eq!(found(text), [what], "{text}");
        }
    }

    #[test]
    fn ordinary_settings_are_none() {
        let text = "[core]\n\tbare = false\n\tfilemode = true\n\tfsmonitor = false\n# [core] hooksPath = no\n[remote \"origin\"]\n\
                    \turl = git@host:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\
                    \tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = A\n[alias]\n\tst = status\n";
        assert!(found(text).is_empty(), "{:?}", found(text));
    }

    #[test]
    fn only_the_lines_of_a_setting_are_taken_out() {
        let text = "[core]\n\tbare = false\n\teditor = a \\\n b\n[user]\n\tname = A\n";
        assert_eq!(without(text.as_bytes(), &starters(text)), b"[core]\n\tbare = false\n[user]\n\tname = A\n");
    }
}
