//! Rules: how they are read, which one decides, and which one the dialog offers.

use super::compare;

/// `allow`, `ask` and `deny` as texts; the answer is the verdict and the rule, or the part that nobody allows.
fn verdicts(lists: &str, rows: &[(&str, &str)]) {
    let code = format!(
        "local lists = {lists}
         for _, list in pairs(lists) do
             for i, text in ipairs(list) do list[i] = assert(rules.read(text)) end
         end
         function answer(line)
             local parts, why = shell.split(line)
             if not parts then return '! ' .. why end
             local verdict, rule, part = rules.command(lists, parts)
             return verdict and verdict .. ' ' .. rule.text or 'nil ' .. (part and part.text or '')
         end"
    );
    compare(&code, rows);
}

#[test]
fn a_malformed_rule_says_why() {
    let code = "function answer(text)
        local rule, why = rules.read(text)
        return rule and rule.tool .. ' ' .. tostring(rule.pattern) or why
    end";
    compare(
        code,
        &[
            ("std.shell", "std.shell nil"),
            ("mcp.*", "mcp.* nil"),
            ("std.shell(echo (a))", "std.shell echo (a)"),
            ("std.edit(src/**)", "std.edit src/**"),
            ("", "it is empty"),
            ("  ", "it is empty"),
            ("(x)", "`` is no name of a tool"),
            ("a b", "`a b` is no name of a tool"),
            ("std.shell(", "the closing bracket is missing"),
            ("std.shell(a", "the closing bracket is missing"),
            ("std.shell(a) b", "there is text behind the closing bracket"),
            ("std.shell()", "there is nothing between the brackets"),
            ("std.shell(a\nb)", "it has control characters"),
        ],
    );
}

#[test]
fn every_part_must_be_allowed_and_only_as_it_stands() {
    verdicts(
        "{ allow = { 'std.shell(echo *)', 'std.shell(cargo test *)', 'std.shell(touch one)', 'std.shell(sh -c *)' } }",
        &[
            ("echo a && echo b; echo c | echo d", "allow std.shell(echo *)"),
            ("echo", "allow std.shell(echo *)"),
            ("echo a > f", "allow std.shell(echo *)"),
            ("{ echo a; } > f", "allow std.shell(echo *)"),
            ("echox", "nil echox"),
            ("echo a; touch two", "nil touch two"),
            ("echo $(touch two)", "nil touch two"),
            ("echo \"`touch two`\"", "nil touch two"),
            ("echo a <(touch two)", "nil touch two"),
            ("echo a\ntouch two", "nil touch two"),
            ("echo a & touch two", "nil touch two"),
            ("echo() { touch two; }; echo", "nil touch two"),
            ("alias echo='touch two'; echo", "nil alias echo=touch two"),
            ("cargo test --all $x", "allow std.shell(cargo test *)"),
            ("cargo test", "allow std.shell(cargo test *)"),
            ("cargo tests", "nil cargo tests"),
            ("cargo $x", "nil cargo $x"),
            ("cargo {test,x}", "nil cargo {test,x}"),
            ("'cargo test' x", "nil cargo test x"),
            ("cargo 'test x'", "nil cargo test x"),
            ("cargo '$x'", "nil cargo $x"),
            ("touch one", "allow std.shell(touch one)"),
            ("touch 'one'", "allow std.shell(touch one)"),
            ("touch one two", "nil touch one two"),
            ("touch one$x", "nil touch one$x"),
            ("touch on*", "nil touch on*"),
            ("touch one ''", "nil touch one "),
            ("/usr/bin/touch one", "nil /usr/bin/touch one"),
            ("LD_PRELOAD=x touch one", "nil touch one"),
            ("PATH=/evil; echo a", "nil "),
            ("for PATH in /evil; do echo a; done", "nil "),
            ("x='a[$(touch two)]'; echo $((x))", "nil "),
            ("for x in 'a[$(touch two)]'; do echo $((x)); done", "nil $((x))"),
            ("echo ${x@P}", "nil ${x@P}"),
            ("$CMD one", "nil $CMD one"),
            ("sh -c 'echo a'", "allow std.shell(sh -c *)"),
            ("sh -c 'touch two'", "nil touch two"),
            ("sh -c \"sh -c 'echo a; touch two'\"", "nil touch two"),
            ("echo one | xargs touch", "nil xargs touch"),
            ("sh -c 'xargs touch one'", "nil xargs touch one"),
            ("echo x > .git/hooks/pre-commit; git commit", "nil git commit"),
            ("# nothing", "nil "),
            ("> f", "nil "),
        ],
    );
}

#[test]
fn deny_goes_before_ask_before_allow_in_all_spellings() {
    let lists = "{ allow = { 'std.shell' }, ask = { 'std.shell(git push*)', 'std.shell(b*)' }, deny = { 'std.shell(rm *)', 'std.shell(git push --force*)' } }";
    verdicts(
        lists,
        &[
            ("anything $x | at all", "allow std.shell"),
            ("X=1 $CMD", "allow std.shell"),
            ("git push", "ask std.shell(git push*)"),
            ("ls && git push origin", "ask std.shell(git push*)"),
            ("/usr/bin/git push", "ask std.shell(git push*)"),
            ("git -C x -c a=b push", "ask std.shell(git push*)"),
            ("GIT_DIR=x git push", "ask std.shell(git push*)"),
            ("env X=1 git push", "ask std.shell(git push*)"),
            ("git push --force", "deny std.shell(git push --force*)"),
            ("rm", "deny std.shell(rm *)"),
            ("rm -rf x", "deny std.shell(rm *)"),
            ("\\rm x", "deny std.shell(rm *)"),
            ("'rm' x", "deny std.shell(rm *)"),
            ("r''m x", "deny std.shell(rm *)"),
            ("$'\\x72m' x", "deny std.shell(rm *)"),
            ("/bin/rm x", "deny std.shell(rm *)"),
            ("sudo rm x", "deny std.shell(rm *)"),
            ("nohup nice timeout 5 /bin/rm x", "deny std.shell(rm *)"),
            ("find . -exec rm {} +", "deny std.shell(rm *)"),
            ("ls | xargs rm", "deny std.shell(rm *)"),
            ("bash -lc 'cd x; rm y'", "deny std.shell(rm *)"),
            ("eval rm x", "deny std.shell(rm *)"),
            ("git push; rm x", "deny std.shell(rm *)"),
            ("cat <<EOF\n$(rm x)\nEOF", "deny std.shell(rm *)"),
            ("if a; then rm x; fi", "deny std.shell(rm *)"),
            ("trap 'rm x' EXIT", "deny std.shell(rm *)"),
            ("rmdir x", "allow std.shell"),
        ],
    );
}

#[test]
fn the_most_specific_rule_decides() {
    let lists = "{ allow = { '*', 'std.shell', 'std.shell(git *)', 'std.shell(git log *)', 'std.shell(git log -n *)', 'std.shell(git log -n 1)' } }";
    verdicts(
        lists,
        &[
            ("ls", "allow std.shell"),
            ("git status", "allow std.shell(git *)"),
            ("git log -p", "allow std.shell(git log *)"),
            ("git log -n 2", "allow std.shell(git log -n *)"),
            ("git log -n 1", "allow std.shell(git log -n 1)"),
        ],
    );
}

#[test]
fn paths_are_matched_name_by_name() {
    let code = "function answer(row)
        local text, path = row:match('^(%S+) (.+)$')
        local rule = assert(rules.read('std.edit(' .. text .. ')'))
        return rules.first({ rule }, 'std.edit', { path = path, cwd = '/w', home = '/h' }) ~= nil
    end";
    compare(
        code,
        &[
            ("src/** /w/src/a.rs", "true"),
            ("src/** /w/src/deep/b.rs", "true"),
            ("src/** /w/src/../other.rs", "false"),
            ("src/** /w/srcs/a", "false"),
            ("src/** /v/src/a", "false"),
            ("src/* /w/src/a", "true"),
            ("src/* /w/src/a/b", "false"),
            ("**/x.rs /w/x.rs", "true"),
            ("**/x.rs /w/a/b/x.rs", "true"),
            ("src/**/b/*.rs /w/src/b/c/b/x.rs", "true"),
            ("** /w/a b", "true"),
            ("** /v/a", "false"),
            ("/etc/* /etc/passwd", "true"),
            ("~/.x /h/.x", "true"),
            ("~/** /w/a", "false"),
            ("../v/* /v/a", "true"),
            ("a\\*b /w/a*b", "true"),
            ("a\\*b /w/axb", "false"),
        ],
    );
}

#[test]
fn a_pattern_needs_something_to_match() {
    let code = "function answer(row)
        local text, tool = row:match('^(%S+) (.+)$')
        return rules.first({ assert(rules.read(text)) }, tool) ~= nil
    end";
    compare(
        code,
        &[
            ("mcp.* mcp.files.read", "true"),
            ("mcp.* std.mcp", "false"),
            ("todo todo", "true"),
            ("* anything", "true"),
            ("todo(x) todo", "false"),
        ],
    );
}

#[test]
fn always_offers_a_rule_that_allows_the_command() {
    let code = "function answer(line)
        local parts = shell.split(line)
        local text = rules.offer(parts[1])
        if not text then return 'nil' end
        local rule = assert(rules.read(text))
        return (rules.command({ allow = { rule } }, { parts[1] }) or 'not allowed: ') .. ' ' .. text
    end";
    compare(
        code,
        &[
            ("cargo test --all", "allow std.shell(cargo test *)"),
            ("cargo test", "allow std.shell(cargo test *)"),
            ("git status $x", "allow std.shell(git status *)"),
            ("git commit -m 'a\nb'", "allow std.shell(git commit *)"),
            ("npm run build -- x", "allow std.shell(npm run build *)"),
            ("make test", "allow std.shell(make test *)"),
            ("git -C x push", "allow std.shell(git -C x push)"),
            ("cargo +nightly test", "allow std.shell(cargo +nightly test)"),
            ("touch one", "allow std.shell(touch one)"),
            ("touch 'a *b' ''", "allow std.shell(touch a\\ \\*b \\e)"),
            ("echo 'a\nb' 'c\\n'", "allow std.shell(echo a\\nb c\\\\n)"),
            ("X=1 touch one", "allow std.shell(X=1 touch one)"),
            ("sh -c 'touch a'", "allow std.shell(sh -c touch\\ a)"),
            ("python3 x.py", "allow std.shell(python3 x.py)"),
            ("sudo touch a", "allow std.shell(sudo touch a)"),
            ("uv run x", "allow std.shell(uv run x)"),
            ("git config a b", "allow std.shell(git config a b)"),
            ("git bisect run x", "allow std.shell(git bisect run x)"),
            ("/usr/bin/git push", "allow std.shell(/usr/bin/git push)"),
            ("touch $x", "nil"),
            ("git $x", "nil"),
            ("> f", "nil"),
        ],
    );
}

#[test]
fn what_could_turn_out_to_be_forbidden_is_not_let_pass() {
    let code = "local lists = { deny = { 'std.shell(git push*)', 'std.shell(rm -rf *)' }, ask = { 'std.read(x)' } }
        for _, list in pairs(lists) do
            for i, text in ipairs(list) do list[i] = assert(rules.read(text)) end
        end
        function answer(line)
            local parts, why = shell.split(line)
            if not parts then return '! ' .. why end
            local rule = rules.unsure(lists, parts)
            return rule and rule.text or 'no'
        end";
    const PUSH: &str = "std.shell(git push*)";
    compare(
        code,
        &[
            ("g=git; $g push", PUSH),
            ("$(echo git) push", PUSH),
            ("{git,push}", PUSH),
            ("/usr/bin/gi* push", PUSH),
            ("git $x", PUSH),
            ("git -C . $x", PUSH),
            ("/usr/bin/git $x", PUSH),
            ("env X=1 git $x", PUSH),
            ("xargs git <<< push", PUSH),
            ("sh -c \"$x\"", PUSH),
            ("eval \"$(echo git push)\"", PUSH),
            ("echo git push | sh", PUSH),
            ("bash <<E\ngit push\nE", PUSH),
            ("flock x git push", PUSH),
            ("setpriv --reuid 1 git push", PUSH),
            ("script -c 'git push' /dev/null", PUSH),
            ("git submodule foreach git push", PUSH),
            ("git -c alias.p=push p", PUSH),
            ("git rebase -x 'git push' main", PUSH),
            ("rm $x", "std.shell(rm -rf *)"),
            ("rm *.o", "no"),
            ("echo $x", "no"),
            ("git log $x", "no"),
            ("git commit -m \"$x\"", "no"),
            ("git -c a.b=c log $x", "no"),
            ("bash script.sh", "no"),
            ("ls | xargs grep x", "no"),
            ("find . -exec grep x {} +", "no"),
            ("X=$y cargo test", "no"),
            ("for f in *; do cat $f; done", "no"),
        ],
    );
}
