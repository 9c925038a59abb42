//! Nothing that runs goes unseen: bash runs lines at random with programs that leave a mark, and each that left one has to
//! be among the parts. And whatever the line is, `split` answers, and soon.

use super::ask;
use crate::support::dice::Dice;
use serde_json::json;
use std::collections::BTreeSet;
use std::os::unix::{fs::PermissionsExt, process::CommandExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is written by chance.
struct Writer(Dice);

impl Writer {
    fn roll(&mut self, sides: usize) -> usize {
        self.0.below(sides)
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        self.0.pick(of)
    }

    fn mark(&mut self) -> String {
        format!("m{}", self.roll(8))
    }

    fn word(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self
                .pick(&["a", "1", "'a b'", "\\;", "$x", "\"$x\"", "{a,b}", "*", "a#b", "''", "$((1+1))"])
                .into();
        }
        let inner = depth - 1;
        match self.roll(9) {
            0 => format!("$({})", self.line(inner)),
            1 => format!("\"$({})\"", self.line(inner)),
            2 => format!("`{}`", self.line(0)),
            3 => format!("\"x `{}`\"", self.line(0)),
            4 => format!("<({})", self.line(inner)),
            5 => format!("${{x:-{}}}", self.word(inner)),
            6 => format!("\"a\\\"{}\"", self.word(inner)),
            7 => format!("'{}'", self.line(inner).replace('\'', "")),
            _ => self.word(0),
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        let command = format!("{} {}", self.mark(), self.word(depth));
        let inner = depth.saturating_sub(1);
        match self.roll(12) {
            0 => format!("{command} >f"),
            1 => format!("2>f {command}"),
            2 => format!("X={} {command}", self.word(inner)),
            3 => format!("{command} <<EOF\n$({}) '\nEOF\n{}", self.line(inner), self.mark()),
            4 => format!("{command} <<'EOF'\n$({})\nEOF\n{}", self.mark(), self.mark()),
            5 => format!("sh -c '{}'", self.line(inner).replace('\'', "")),
            6 => format!("eval '{}'", self.line(inner).replace('\'', "")),
            7 => format!("{} {}", self.pick(&["env", "env X=1", "nohup", "command", "!", "time", "exec"]), command),
            8 => format!("{command} # {}\n{}", self.mark(), self.mark()),
            _ => command,
        }
    }

    fn command(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple(0);
        }
        let inner = depth - 1;
        let (a, b) = (self.line(inner), self.line(inner));
        match self.roll(14) {
            0 => format!("if {a}; then {b}; fi"),
            1 => format!("if ! {a}\nthen {b}\nelse {}; fi", self.mark()),
            2 => format!("for x in {} b; do {a}; done", self.word(inner)),
            3 => format!("while {a}; do {b}; break; done"),
            4 => format!("case {} in (a|b) {a};; *) {b}; esac", self.word(inner)),
            5 => format!("( {a} )"),
            6 => format!("{{ {a}; }} >f"),
            7 => format!("f{inner}x() {{ {a}; }}; f{inner}x"),
            8 => format!("trap '{}' EXIT", a.replace('\'', "")),
            9 => format!("[[ {} == a ]] || {a}", self.word(inner)),
            _ => self.simple(depth),
        }
    }

    fn line(&mut self, depth: usize) -> String {
        let mut line = self.command(depth);
        while self.roll(3) == 0 {
            line = format!(
                "{line}{}{}",
                self.pick(&[" && ", " || ", "; ", "\n", " | ", " |& ", ";", "|", "&&\n"]),
                self.command(depth)
            );
        }
        line
    }

    /// Now and then with a piece too many or too few.
    fn broken(&mut self, line: String) -> String {
        let mut chars: Vec<char> = line.chars().collect();
        for _ in 0..self.roll(4) {
            let at = self.roll(chars.len());
            if self.roll(2) == 0 {
                chars.remove(at);
            } else {
                chars.splice(at..at, self.pick(TOKENS).chars());
            }
            if chars.is_empty() {
                break;
            }
        }
        chars.into_iter().collect()
    }
}

const TOKENS: &[&str] = &[
    "'", "\"", "`", "$(", ")", "(", "{", "}", ";", "&", "|", "<", ">", "\n", "\\", " ", "#", "!", "[[", "]]", "((",
    "))", "${", "$", "=", "<<", "EOF", "\\\n", "if ", "then ", "fi", "do ", "done", "esac", "case ", " in ", "&>",
    ";;", "~", "*", "x=", "$'", "<(", "&&", "||", "m1", " m2 ", "time ", "\t", "a=(", "-",
];

/// Where the system has a program.
fn place(name: &str) -> Option<PathBuf> {
    ["/bin", "/usr/bin", "/usr/local/bin"].iter().map(|dir| Path::new(dir).join(name)).find(|path| path.exists())
}

/// Adds its name to the file `$LOG`. When that is long, the line goes round and round, and all of it is ended.
const PROGRAM: &str = "#!/bin/sh
echo ${0##*/} >> \"$LOG\"
n=0; while read -r _; do n=$((n + 1)); done < \"$LOG\"
[ $n -lt 60 ] || kill -9 0
";

/// A folder with such programs, and the few others that the lines call.
fn programs(folder: &Path) {
    std::fs::create_dir(folder).unwrap();
    for i in 0..8 {
        let path = folder.join(format!("m{i}"));
        std::fs::write(&path, PROGRAM).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    for name in ["sh", "env", "nohup"] {
        std::os::unix::fs::symlink(place(name).expect("every system has it"), folder.join(name)).unwrap();
    }
}

/// The marks that a line leaves, each once. What it starts holds the pipe, so its end is the end of all of them.
fn marks(bash: &Path, root: &Path, line: &str) -> Vec<String> {
    let work = tempfile::tempdir_in(root).unwrap();
    let log = work.path().join("log");
    Command::new(bash)
        .args(["-c", line])
        .env_clear()
        .env("PATH", root.join("bin"))
        .env("LOG", &log)
        .env("FUNCNEST", "4") // a function that calls itself in a pipe would go on for ever
        .process_group(0)
        .current_dir(work.path())
        .stdin(Stdio::null())
        .output()
        .expect("it is there");
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let each: BTreeSet<&str> = text.lines().collect();
    each.into_iter().map(str::to_owned).collect()
}

/// The programs of the parts; `?` if one of them isn't known, as in `sh -c "$x"`. `!` before what can't be parsed.
const PROGRAMS: &str = "function answer(line)
    local parts, why = shell.split(line)
    if not parts then return '!' .. why end
    local names = {}
    for _, part in ipairs(parts) do
        names[#names + 1] = part.program and part.program:gsub('%s', '_') or #part.words > 0 and '?' or '='
        local runs = part.program == 'sh' or part.program == 'eval' or part.program == 'trap'
        if runs and next(part.dynamic) then names[#names + 1] = '?' end
    end
    return table.concat(names, ' ')
end";

#[test]
fn whatever_bash_runs_is_among_the_parts() {
    let Some(bash) = place("bash") else { return }; // nothing to compare with
    let root = tempfile::tempdir().unwrap();
    programs(&root.path().join("bin"));
    let mut writer = Writer(Dice(0x5eed_0005));
    let lines: Vec<String> = (0..240)
        .map(|_| {
            let depth = 1 + writer.roll(2);
            let line = writer.line(depth);
            writer.broken(line)
        })
        .collect();
    let (mut ran, mut dropped) = (0, Vec::new());
    for (line, parts) in lines.iter().zip(ask(PROGRAMS, &json!(lines))) {
        if parts.starts_with('!') {
            continue;
        }
        let names: Vec<&str> = parts.split(' ').collect();
        for mark in marks(&bash, root.path(), line) {
            ran += 1;
            if !names.contains(&mark.as_str()) && !names.contains(&"?") {
                dropped.push(format!("{mark} of {line:?}: {parts}"));
            }
        }
    }
    assert!(dropped.is_empty(), "{dropped:#?}");
    assert!(ran > 200, "only {ran} programs have run");
}

#[test]
fn no_text_raises() {
    let mut writer = Writer(Dice(0x5eed_0006));
    let lines: Vec<String> =
        (0..3000).map(|_| (0..1 + writer.roll(16)).map(|_| writer.pick(TOKENS)).collect::<String>()).collect();
    let got = ask(PROGRAMS, &json!(lines));
    // What `split` says of a failure of its own.
    let raised: Vec<_> = lines.iter().zip(&got).filter(|(_, got)| got.as_str() == "!it can't be parsed").collect();
    assert!(raised.is_empty(), "{raised:#?}");
    assert!(got.iter().any(|g| !g.starts_with('!')) && got.iter().any(|g| g.starts_with('!')));
}

#[test]
fn the_time_that_a_line_takes_grows_with_its_length_and_no_faster() {
    let pieces = [
        "a ",
        "a;",
        "a",
        "$(a)",
        "`a`",
        "\"a\"",
        "''",
        "\\a",
        "$a",
        "${a}",
        "${!a}",
        "$((a))",
        "$(",
        "${x:-",
        "(",
        "{ ",
        "`",
        "\"",
        "\n",
        "\\\n",
        "<",
        ">a ",
        "<<a ",
        "<<a\n",
        "<<a\na\n",
        "eval ",
        "nohup ",
        "env ",
        "xargs ",
        "sudo X=1 ",
        "if a;then b;fi;",
        "a=1 ",
        "a=(b) ",
        "a[1]=1 ",
        "[",
        "{a,",
        "#",
        "#a\n",
        "time ",
        "! ",
        "[[ a ]];",
        "&",
        "a|",
        "$'a'",
        "1>",
        "f() ",
        "<(a)",
        "trap 'a' b;",
        "\\",
        "find -exec a \\; ",
        "alias x=y ",
    ];
    let code = "function answer(text)
        local best = math.huge
        for _ = 1, 2 do
            local began = os.clock()
            shell.split(text)
            best = math.min(best, os.clock() - began)
        end
        return ('%d'):format(best * 1e6 // 1)
    end";
    let times = |bytes: usize| -> Vec<u64> {
        let lines: Vec<String> = pieces.iter().map(|piece| piece.repeat(bytes / piece.len())).collect();
        ask(code, &json!(lines)).iter().map(|text| text.parse().unwrap()).collect()
    };
    // Four times the text takes four times as long, or less; were it quadratic, sixteen times. Below the floor nothing shows.
    const FLOOR: u64 = 8_000;
    let (quarter, whole) = (times(8_192), times(32_768));
    let all = pieces.iter().zip(quarter.iter().zip(&whole));
    let slow: Vec<_> = all.filter(|(_, (quarter, whole))| **whole > FLOOR + 8 * **quarter).collect();
    assert!(slow.is_empty(), "microseconds of a quarter and of the whole: {slow:?}");
}
