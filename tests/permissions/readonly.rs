//! Which command lines plan mode lets run: each part only reads.

use super::ask;
use serde_json::json;

const READS: &[&str] = &[
    "[ -n \"$x\" ] && [ \"$x\" = y ]",
    "ls -la",
    "cat a.txt | grep x | wc -l",
    "git status",
    "git log --oneline -n 5",
    "git --no-pager diff HEAD~1 -- src",
    "git branch -a",
    "git branch --list 'x*'",
    "git remote -v",
    "git config --get user.name",
    "git tag -l",
    "git stash list",
    "find . -name '*.rs' -type f",
    "find src/*.rs -newer x",
    "rg -n \"foo|bar\" src",
    "fd -e rs",
    "sort -u -k2 a",
    "uniq -c",
    "sed -n '1,20p' a.rs",
    "sed -n '/fn/p;5q' a.rs",
    "xargs grep foo",
    "find . -print0 | xargs -0 wc -l",
    "date +%s",
    "env",
    "[ -f x ] && cat x 2>/dev/null",
    "[[ -f $x ]] || echo no",
    "cargo tree --depth 1",
    "cargo --version",
    "node --version",
    "/bin/ls x",
    "command -v rg",
    "timeout 5 ls",
    "time ls -oa",
    "/usr/bin/time -p ls",
    "for f in *.rs; do wc -l $f; done",
    "echo \"$(pwd)\" > /dev/null",
    "cat <<'EOF' | wc\nx\nEOF",
    "cd src && ls",
    "git diff --exit-code",
    "git log --format=%H",
    "diff a b 2>&1",
];

const WRITES: &[&str] = &[
    "for x in '5 touch'; do timeout $x ls; done",
    "for x in '-v a[$(touch b)]'; do [ $x ]; done",
    "for x in -v; do for y in 'a[$(touch b)]'; do [ \"$x\" \"$y\" ]; done; done",
    "xargs -I $x cat",
    "touch made",
    "cat a > made",
    "ls; touch made",
    "ls $(touch made)",
    "X=1 ls",
    "find . -delete",
    "find . -exec rm {} \\;",
    "find . -exec cat {} \\;",
    "find . -fprint x",
    "find * -name x",
    "sort -o made a",
    "sort -uo made a",
    "sort $x",
    "uniq a b",
    "sed -i s/a/b/ x",
    "sed -n 'w made' a",
    "sed -n '1e touch made' a",
    "sed -n 's/a/b/ep' a",
    "sed 1p a",
    "awk 1",
    "git log --output=made",
    "git diff --outp made",
    "git grep -Ofoo x",
    "git diff --ext-diff",
    "git branch new",
    "git branch -D x",
    "git tag v1",
    "git remote add x y",
    "git config a b",
    "git config --get x --unset y",
    "git -c core.pager=x log",
    "git commit -m x",
    "git stash",
    "git push",
    "git $x",
    "xargs rm",
    "xargs sort",
    "ls | xargs sh -c 'x'",
    "date -s x",
    "env rm",
    "tree -o made",
    "fd -x rm",
    "fd . -X rm",
    "rg --pre ./evil x",
    "file -C -m x",
    "./ls",
    "/tmp/ls",
    "$CMD",
    "printf x",
    "printf -v x y",
    "cargo build",
    "cargo metadata --config x",
    "timeout 5 touch x",
    "time touch x",
    "/usr/bin/time -o made ls",
    "command time --output=made ls",
    "command time -vamade ls",
    "time $x",
    "strace ls",
    "command touch x",
    "test -v 'a[$(touch x)]'",
    "[[ a -eq b ]]",
    "sh -c ls",
    "man -P x ls",
    "tee made",
    "ls &> made",
    "eval ls",
    "cat a; f() { touch b; }; f",
    "for PATH in x; do ls; done",
    "echo ${x@P}",
    "echo $((x))",
    "ls 2> err",
    "git reflog expire --all",
    "jq . a > b",
];

/// Those of the lines of which not all parts only read.
fn refused(lines: &[&str]) -> Vec<String> {
    let code = "function answer(line)
        local parts, why = shell.split(line)
        if not parts then return why end
        for _, part in ipairs(parts) do
            if readonly.is(part) ~= true then return part.text end
        end
        return true
    end";
    let got = ask(code, &json!(lines));
    lines.iter().zip(got).filter(|(_, got)| got != "true").map(|(line, _)| (*line).to_owned()).collect()
}

#[test]
fn commands_that_look_are_let_run() {
    assert_eq!(refused(READS), Vec::<String>::new());
}

#[test]
fn commands_that_could_change_something_are_not() {
    assert_eq!(refused(WRITES), WRITES);
}
