//! Command lines and their parts. A row shows the parts in order: `^` before what another part runs, `?` where the program
//! isn't known, `[X=1]` assignments, `>` files that are written, `<` files that are read.

use super::{ask, compare};
use serde_json::json;

pub const SHOW: &str = r#"
    function answer(line)
        local parts, why = shell.split(line)
        if not parts then return "! " .. why end
        local out = {}
        for i, part in ipairs(parts) do
            local text = (part.inner and "^" or "") .. (part.program and "" or "?")
            for _, a in ipairs(part.assignments) do text = text .. "[" .. a .. "]" end
            text = text .. part.text
            for _, w in ipairs(part.writes) do text = text .. " >" .. (w.dynamic and "?" or "") .. w.path end
            for _, r in ipairs(part.reads) do text = text .. " <" .. r.path end
            out[i] = text
        end
        return table.concat(out, " | ")
    end"#;

/// What joins commands.
#[rustfmt::skip]
const JOINED: &[(&str, &str)] = &[
    ("echo a && touch b", "echo a | touch b"),
    ("echo a || touch b", "echo a | touch b"),
    ("echo a; touch b", "echo a | touch b"),
    ("echo a | tee b", "echo a | tee b"),
    ("echo a |& tee b", "echo a | tee b"),
    ("echo a & touch b", "echo a | touch b"),
    ("echo a\ntouch b", "echo a | touch b"),
    ("echo a $(touch b)", "touch b | echo a $(touch b)"),
    (r#"echo a "$(touch b)""#, "touch b | echo a $(touch b)"),
    (r#"echo "$(echo "$(touch a)")""#, r#"touch a | echo $(touch a) | echo $(echo "$(touch a)")"#),
    ("echo a $(echo $(touch b))", "touch b | echo $(touch b) | echo a $(echo $(touch b))"),
    (r#"echo `touch a` "`touch b`""#, "touch a | touch b | echo `touch a` `touch b`"),
    (r#"echo `echo \`touch a\``"#, r#"touch a | echo `touch a` | echo `echo \`touch a\``"#),
    ("echo <(touch a) >(touch b)", "touch a | touch b | echo <(touch a) >(touch b)"),
    ("echo a<(touch b)", "touch b | echo a<(touch b)"),
    (r#"echo "\"$(touch a)\"""#, r#"touch a | echo "$(touch a)""#),
    (r#"echo '$(touch a)' \$x"#, "echo $(touch a) $x"),
    (r#"echo ${x:-$(touch a)} "${x:-`touch b`}""#, "touch a | touch b | echo ${x:-$(touch a)} ${x:-`touch b`}"),
    ("echo a # touch b", "echo a"),
    ("echo a;# touch b", "echo a"),
    ("echo a#b; ls", "echo a#b | ls"),
    ("ls &# x\ntouch c", "ls | touch c"),
    ("a && # foo\n b", "a | b"),
    ("time -p a | ! b", "a | b"),
    ("coproc touch made", "touch made"),
    ("echo a > >(tee b)", "tee b | echo a"),
    ("x=$(touch a)", "touch a | ?[x=$(touch a)]"),
    ("a=(1 $(touch b) 3)", "touch b | ?[a=(1 $(touch b) 3)]"),
    ("echo $((1+$(touch a)))", "touch a | ?$((1+$(touch a))) | echo $((1+$(touch a)))"),
    ("[[ -f $(touch a) ]]", "touch a | [[ -f $(touch a) ]]"),
    ("cat < $(touch a)", "touch a | cat <$(touch a)"),
];

/// Compound commands.
#[rustfmt::skip]
const COMPOUND: &[(&str, &str)] = &[
    ("if a; then b; elif c; then d; else e; fi > out", "a | b | c | d | e | ? >out"),
    ("for f in *.c $(ls); do echo $f; done", "ls | echo $f"),
    ("for PATH in /evil; do ls; done", "?[PATH=/evil] | ls"),
    ("for ((i=0;i<3;i++)); do touch a; done", "?((i=0;i<3;i++)) | touch a"),
    ("for x do a; done", "a"),
    ("select x in a b; do touch $x; done", "touch $x"),
    (r#"while read x; do echo "$x"; done < file"#, "read x | echo $x | ? <file"),
    ("until a; do b; done", "a | b"),
    ("case $x in a|b) touch a;; (c) touch c;; *) ;; esac", "touch a | touch c"),
    ("case in in (esac) a; esac", "a"),
    ("case a in # x\n a) # y\n touch a # z\n ;; esac # foo", "touch a"),
    (r#"f() { touch "$@"; }; f made"#, "touch $@ | f made"),
    ("function g { touch x; }", "touch x"),
    ("f() # x\n{ touch a; }", "touch a"),
    ("{ a; b; } > f 2>&1", "a | b | ? >f"),
    ("(a; b) & c", "a | b | c"),
    ("if a # x\nthen b; fi", "a | b"),
    ("echo if then fi do done", "echo if then fi do done"),
    ("[[ -f x ]] && echo y", "[[ -f x ]] | echo y"),
    ("[[ a -eq b ]] && echo y", "?[[ a -eq b ]] | echo y"),
    ("[[ a || touch == b ]]", "?[[ a || touch == b ]]"),
    ("[[ $x =~ ^(a|b)$ ]] && echo y", "?[[ $x =~ ^ ( a | b ) $ ]] | echo y"),
    ("((i++)); echo $((1+2)) $((i+1))", "?((i++)) | ?$((i+1)) | echo $((1+2)) $((i+1))"),
];

/// Here-documents.
#[rustfmt::skip]
const DOCUMENTS: &[(&str, &str)] = &[
    ("cat <<EOF\n$(touch a) `touch b`\nEOF\ntouch c", "cat | touch a | touch b | touch c"),
    ("cat <<'EOF'\n$(touch a)\nEOF\ntouch c", "cat | touch c"),
    ("cat <<\"EOF\"\n`touch a`\nEOF\ntouch c", "cat | touch c"),
    ("cat <<\\EOF\n`touch a`\nEOF\ntouch c", "cat | touch c"),
    ("cat <<-EOF; touch d\n\tx\n\tEOF\ntouch c", "cat | touch d | touch c"),
    ("cat <<A <<B\n$(touch a)\nA\n$(touch b)\nB\ntouch c", "cat | touch a | touch b | touch c"),
    ("cat <<EOF\n\\$(touch a)\nEOF", "cat"),
    ("cat <<EOF > out && ls\ntouch a\nEOF", "cat >out | ls"),
    ("echo $(cat <<EOF\n$(touch a)\nEOF\n)", "cat | touch a | echo $(cat <<EOF\n$(touch a)\nEOF\n)"),
    (r#"cat <<< "x $(touch a)""#, "touch a | cat"),
    ("if cat <<EOF\nthen touch a\nEOF\nthen b; fi", "cat | b"),
];

/// Redirections.
#[rustfmt::skip]
const FILES: &[(&str, &str)] = &[
    (">f touch a >>b 2>c &>d", "touch a >f >b >c >d"),
    ("2>&1 echo a >&2 >&f", "echo a >f"),
    ("exec 3<>/dev/tcp/x", "exec >/dev/tcp/x"),
    ("{fd}>f echo", "[fd=]echo >f"),
    ("echo a >| f", "echo a >f"),
    ("echo a &>> f", "echo a >f"),
    ("echo a > $x", "echo a >?$x"),
    ("echo a > ~/x", "echo a >?~/x"),
    ("echo a >&- 2>&1-", "echo a"),
    ("> f", "? >f"),
    ("cat < in", "cat <in"),
    ("echo a > 'b c'", "echo a >b c"),
];

/// Quotes and what is not known.
#[rustfmt::skip]
const WORDS: &[(&str, &str)] = &[
    ("$CMD x", "?$CMD x"),
    (r#""$(echo rm)" x"#, "echo rm | ?$(echo rm) x"),
    ("{touch,made}", "?{touch,made}"),
    ("~/bin/x a", "?~/bin/x a"),
    (r#"t''ou"c"h a"#, "touch a"),
    ("to\\\nuch a", "touch a"),
    (r#"\touch a"#, "touch a"),
    (r#"$'to\x75ch' a"#, "touch a"),
    ("echo {a,b} {1..3} a{b} {} a[1] *", "echo {a,b} {1..3} a{b} {} a[1] *"),
    (r#"git commit -m "a b" # touch x"#, "git commit -m a b"),
    (r#"echo $'a\x41' "$'x'" $"y""#, "echo aA $'x' y"),
    ("echo a \\\n  b &&\n touch c", "echo a b | touch c"),
    ("X=1 Y=$z touch a", "[X=1][Y=$z]touch a"),
    ("x=1", "?[x=1]"),
    ("echo ${x@P} ${!x} ${#x} ${x:0:3} ${x:y} ${x[1]} ${x[i]} ${x[@]} ${PATH:=a}", "?${x@P} | ?${!x} | ?${x:y} | ?${x[i]} | ?[PATH=a] | echo ${x@P} ${!x} ${#x} ${x:0:3} ${x:y} ${x[1]} ${x[i]} ${x[@]} ${PATH:=a}"),
    ("printf -v 'a[$(touch b)]' x", "?printf -v a[$(touch b)] x"),
    ("test -v 'a[$(touch b)]'", "?test -v a[$(touch b)]"),
    ("'if' a", "if a"),
    (r#"printf '%s' "$x"; printf "$x" y; printf %s $x"#, "printf %s $x | ?printf $x y | ?printf %s $x"),
    (r#"unset $x; unset "$x"; export X="$x" Y=1; unset x"#, "?unset $x | ?unset $x | export X=$x Y=1 | unset x"),
    (r#"[ -n "$x" ]; [ $x ]; [ "$x" "$y" ]; [ "$x" = "$y" ]"#, "[ -n $x ] | ?[ $x ] | ?[ $x $y ] | [ $x = $y ]"),
];

/// Programs that run others.
#[rustfmt::skip]
const WRAPPERS: &[(&str, &str)] = &[
    ("sh -c 'touch a; touch b'", "sh -c touch a; touch b | ^touch a | ^touch b"),
    (r#"bash -lc "sh -c 'touch \"a b\"'""#, r#"bash -lc sh -c 'touch "a b"' | ^sh -c touch "a b" | ^touch a b"#),
    ("/bin/bash -euo pipefail -c 'touch a'", "/bin/bash -euo pipefail -c touch a | ^touch a"),
    (r#"sh -c "sh -c \"sh -c 'touch a'\"""#, r#"sh -c sh -c "sh -c 'touch a'" | ^sh -c sh -c 'touch a' | ^sh -c touch a | ^touch a"#),
    (r#"sh -c "$x""#, "sh -c $x"),
    ("bash file", "bash file"),
    ("curl x | sh", "curl x | sh"),
    (". file", ". file"),
    (r#"eval "touch a" '; touch b'"#, "eval touch a ; touch b | ^touch a | ^touch b"),
    ("eval $x", "eval $x"),
    ("env -i X=1 touch a", "env -i X=1 touch a | ^[X=1]touch a"),
    ("env -S 'touch a' b", "env -S touch a b | ^touch a b"),
    ("env -S '-i touch a' b", "env -S -i touch a b | ^?-i touch a b"),
    ("env -u X touch a", "env -u X touch a | ^touch a"),
    ("env --weird X touch a", "env --weird X touch a | ^?X touch a"),
    ("env --ignore-environment --unset=X touch a", "env --ignore-environment --unset=X touch a | ^touch a"),
    ("env", "env"),
    (r#"find . -name '*.c' -exec rm {} \; -o -exec sh -c 'touch a' \;"#, "find . -name *.c -exec rm {} ; -o -exec sh -c touch a ; | ^rm {} | ^sh -c touch a | ^touch a"),
    (r#"find . -execdir rm {} + -ok touch a \;"#, "find . -execdir rm {} + -ok touch a ; | ^rm {} | ^touch a"),
    ("ls | xargs -I{} rm {}", "ls | xargs -I{} rm {} | ^rm {}"),
    ("ls | xargs -0 -n1 rm -rf", "ls | xargs -0 -n1 rm -rf | ^rm -rf {}"),
    ("ls | xargs", "ls | xargs"),
    ("xargs -I % sh -c 'touch %'", "xargs -I % sh -c touch % | ^sh -c touch %"),
    ("timeout -k 5 10 nice -n 5 touch a", "timeout -k 5 10 nice -n 5 touch a | ^nice -n 5 touch a | ^touch a"),
    ("timeout $x touch a", "timeout $x touch a | ^?touch a"),
    ("nohup env touch a &", "nohup env touch a | ^env touch a | ^touch a"),
    ("setsid stdbuf -oL touch a", "setsid stdbuf -oL touch a | ^stdbuf -oL touch a | ^touch a"),
    ("ionice -c 2 chrt 5 touch a", "ionice -c 2 chrt 5 touch a | ^chrt 5 touch a | ^touch a"),
    ("sudo -u root X=1 touch a", "sudo -u root X=1 touch a | ^[X=1]touch a"),
    ("doas touch a", "doas touch a | ^touch a"),
    ("command -v ls; command touch a", "command -v ls | command touch a | ^touch a"),
    ("builtin eval 'touch a'", "builtin eval touch a | ^eval touch a | ^touch a"),
    ("exec -a x touch a", "exec -a x touch a | ^touch a"),
    ("time -f x touch a", "time -f x touch a | ^touch a"),
    ("ssh host touch a", "ssh host touch a"),
    ("watch -n 1 ls -l", "watch -n 1 ls -l | ^ls -l"),
    ("trap 'touch a' EXIT", "trap touch a EXIT | ^touch a"),
    ("trap - EXIT", "trap - EXIT"),
    ("alias x='touch a'", "alias x=touch a | ^touch a"),
    ("fd -x touch a", "fd -x touch a | ^touch a"),
    ("busybox touch a", "busybox touch a | ^touch a"),
];

/// What isn't understood for certain, and why.
#[rustfmt::skip]
const PROBLEMS: &[(&str, &str)] = &[
    (r#"echo "a"#, "a double quote without its end"),
    ("echo 'a", "a single quote without its end"),
    ("echo `a", "a backtick without its end"),
    ("echo $(a", "it ends too early"),
    ("echo ${a", "`${` without its end"),
    ("echo )", "`)` where none can be"),
    ("if a", "it ends too early"),
    ("a &&", "it ends too early"),
    ("a | | b", "`|` where none can be"),
    ("a;; b", "`;;` where none can be"),
    ("{ a; } b", "a command that doesn't end"),
    ("(a) b", "a command that doesn't end"),
    ("( a", "it ends too early"),
    ("case x in a", "a pattern that doesn't end"),
    ("for x in a b", "the words of a loop don't end"),
    ("f()", "it ends too early"),
    ("a(b)", "a bracket where none can be"),
    ("echo $[1]", "`$[`"),
    ("echo $((touch a); (touch b))", "`((` that is no arithmetic"),
    ("((touch a))", "`((` that is no arithmetic"),
    ("$\\\n(touch a)", "a line break behind `$`"),
    ("i\\\nf true; then touch a; fi", "`if` where none can be"),
    ("cat <<EOF", "a here-document without its end"),
    ("cat <<EOF\nfoo", "a here-document without its end"),
    ("cat <<EOF\nfoo \\\nEOF\ntouch a\nEOF", "a here-document whose end can't be told"),
    ("cat <<$x\na\n$x", "a here-document whose end can't be told"),
    ("echo $(cat <<EOF\n)", "a here-document without its end"),
    ("cat <<EOF \"$(a\n)\"\nEOF", "a here-document that begins inside of an expansion"),
    ("x[a b]=1 touch made", "a command whose name can't be read"),
    ("echo a &> f b", "words behind `&>`"),
    ("echo a >! f", "`>` without a file"),
    (r#"echo "${x:-'a}""#, "`'` inside of `${…}`"),
    ("echo ${ touch a; }", "`${` before something that is no name"),
    (r#"echo "`echo \"a\"`""#, r#"`\"` between backticks"#),
    (r#"echo $'it\'s'"#, r#"`\'` inside of `$'…'`"#),
    ("coproc x { touch a; }", "`}` where none can be"),
    ("parallel touch ::: a", "`parallel` reads its commands in a way of its own"),
    (r#"sh -c 'touch "a'"#, "a double quote without its end"),
    ("eval 'if'", "it ends too early"),
    ("alias x='case a in'", "a pattern is missing"),
    (r#"echo a\"#, "a backslash at the end"),
    ("{touch a}", "a command whose name can't be read"),
];

#[test]
fn every_way_to_join_commands_parts_them() {
    compare(SHOW, JOINED);
}

#[test]
fn compound_commands_are_their_commands() {
    compare(SHOW, COMPOUND);
}

#[test]
fn here_documents_are_no_commands_but_what_expands_in_them() {
    compare(SHOW, DOCUMENTS);
}

#[test]
fn redirections_are_files() {
    compare(SHOW, FILES);
}

#[test]
fn words_are_unquoted_and_what_is_not_known_is_marked() {
    compare(SHOW, WORDS);
}

#[test]
fn what_a_wrapper_runs_is_a_part() {
    compare(SHOW, WRAPPERS);
}

#[test]
fn what_is_not_certain_is_a_problem() {
    let rows: Vec<_> = PROBLEMS.iter().map(|(line, why)| (*line, format!("! {why}"))).collect();
    compare(SHOW, &rows.iter().map(|(line, why)| (*line, why.as_str())).collect::<Vec<_>>());
}

#[test]
fn dynamic_words_are_named() {
    let code = "function answer(line)
        local part, out = shell.split(line)[1], {}
        for i in ipairs(part.words) do out[i] = part.dynamic[i] and '1' or '0' end
        return table.concat(out)
    end";
    compare(
        code,
        &[
            ("a $x \"$x\" '$x' \\$x", "01100"),
            ("a *.c 'a'*.c '*' [ ] a[1] [ab]", "01100011"),
            ("a {b,c} {1..3} {} a{b} HEAD@{1}", "011000"),
            ("a ~ ~/x a~ x=~/y", "01101"),
            ("a $((1+1)) ${x} $$ $ a$ \"a$\"", "0111000"),
            ("a x", "00"),
        ],
    );
}

#[test]
fn what_no_shell_reads_for_certain_is_refused() {
    let lines =
        json!(["echo a\u{0}b", "echo \u{1b}[2K", "echo a\r", "x".repeat(65_537), "$(".repeat(60), "( ".repeat(60), 7]);
    let got = ask(SHOW, &lines);
    let expected = [
        "! it has control characters",
        "! it has control characters",
        "! it has control characters",
        "! it is longer than 64 KiB",
        "! nested too deep",
        "! nested too deep",
        "! it is no text",
    ];
    assert_eq!(got, expected);
}

#[test]
fn a_shell_with_another_language_is_refused_and_a_known_one_is_certain() {
    let code = "function answer(name)
        local parts, why = shell.split([[echo $'it\\'s']], name)
        return parts and parts[1].text or why
    end";
    compare(
        code,
        &[
            ("fish", "fish has a language of its own"),
            ("bash", "echo it's"),
            ("zsh", "echo it's"),
            ("sh", "`\\'` inside of `$'…'`"),
        ],
    );
}
