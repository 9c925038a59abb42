//! Commands of scripts in the operating system's sandbox. The temp folder, which is writable by the usual policy, holds
//! the test itself: each script takes it out of its policy.

use super::library::probe;
use super::on_tokio;

/// What a script with this body returns, which has a policy `p` and runs commands by `run`; none without a sandbox.
async fn held(body: &str) -> Option<String> {
    let support = panto::sandbox::probe();
    if !support.available {
        eprintln!("skipped: {}", support.describe());
        return None;
    }
    let body = format!(
        "panto.fs.mkdir('../elsewhere')
        local p = panto.sandbox.policy{{}}
        p.write = {{}}
        local function run(cmd) return panto.process.run{{cmd=cmd, sandbox=p}} end
        {body}"
    );
    Some(probe(&body).await)
}

#[test]
fn a_command_writes_inside_and_is_refused_outside() {
    on_tokio(async {
        let text = held(
            "local fine, bad = run('echo x > made; exit 3'), run('echo x > ../elsewhere/made')
            return table.concat({tostring(fine.sandbox.refused), fine.code, panto.fs.read('made'),
                tostring(bad.sandbox.refused), bad.sandbox.refusal, tostring(panto.fs.stat('../elsewhere/made'))}, '|')",
        );
        let Some(text) = text.await else { return };
        let words: Vec<&str> = text.split('|').collect();
        assert_eq!(words[..4], ["false", "3", "x\n", "true"], "{text}");
        assert!(words[4].contains("elsewhere/made") && words[5] == "nil", "{text}");
    });
}

#[test]
fn a_change_of_a_protected_place_is_told_and_undone() {
    on_tokio(async {
        let text = held(
            "local r = run('mkdir -p .panto/tools; echo evil > .panto/tools/x.lua')
            local c = r.sandbox.changes[1]
            local there = panto.fs.stat(c.path) ~= nil
            panto.sandbox.undo(c)
            local ok, why = pcall(panto.sandbox.undo, {id = 999})
            return table.concat({#r.sandbox.changes, c.what, tostring(there), tostring(panto.fs.stat(c.path)), tostring(why)}, '|')",
        );
        let Some(text) = text.await else { return };
        assert!(text.starts_with("1|created|true|nil|") && text.contains("too long ago"), "{text}");
    });
}

#[test]
fn long_lived_and_detached_commands_are_held_too() {
    on_tokio(async {
        let text = held(
            "local live <close> = panto.process.spawn{cmd='echo x > ../elsewhere/a; echo ENDED', sandbox=p}
            local line = live:read_line(5)
            local started = panto.process.detach{cmd='echo x > ../elsewhere/b; mkdir .panto; echo x > .panto/y', sandbox=p}
            local log = ''
            panto.task.timeout(20, function()
                while not log:find('protected place') do panto.task.sleep(0.01) log = panto.fs.read(started.log) end
            end)
            return table.concat({line, tostring(panto.fs.stat('../elsewhere/a')), tostring(panto.fs.stat('../elsewhere/b')), log}, '|')",
        );
        let Some(text) = text.await else { return };
        assert!(text.starts_with("ENDED|nil|nil|") && text.contains("[protected place created: "), "{text}");
    });
}

#[test]
fn policies_say_what_they_allow_and_a_bad_one_is_an_error() {
    on_tokio(async {
        let text = held(
            "local q = panto.sandbox.policy{write={'more'}, read_deny={'secret'}, network=false}
            local function why(sandbox) return select(2, pcall(panto.process.run, {cmd='true', sandbox=sandbox})) end
            return table.concat({tostring(q.network), tostring(panto.sandbox.allows(p, 'write', 'a')),
                tostring(panto.sandbox.allows(p, 'write', '../elsewhere/a')), tostring(panto.sandbox.allows(p, 'write', '.git/hooks/a')),
                tostring(panto.sandbox.allows(q, 'read', 'secret/a')), tostring(panto.sandbox.support().available),
                why{workspace='relative'}, why{workspce='/'}, why(true)}, '|')",
        );
        let Some(text) = text.await else { return };
        let words: Vec<&str> = text.split('|').collect();
        assert_eq!(words[..6], ["false", "true", "false", "false", "false", "true"], "{text}");
        for (word, part) in words[6..].iter().zip(["must be absolute", "did you mean `workspace`", "a policy"]) {
            assert!(word.contains(part), "{part}: {text}");
        }
    });
}

#[test]
fn a_folder_that_may_not_be_read_is_no_working_directory() {
    on_tokio(async {
        let text = held(
            "panto.fs.mkdir('secret')
            p.read_deny[#p.read_deny + 1] = panto.fs.realpath('secret')
            panto.fs.write('secret/key', 'SECRET-WORD')
            local ok, r = pcall(panto.process.run, {cmd='cat key', cwd='secret', sandbox=p})
            return panto.sandbox.support().namespaces .. '|' .. (ok and r.code .. '|' .. r.output or 'refused|' .. r)",
        );
        let Some(text) = text.await else { return };
        let words: Vec<&str> = text.splitn(3, '|').collect();
        match words[..] {
            // Landlock lets a process be there, and read nothing.
            ["none", code, output] => assert!(code == "1" && !output.contains("SECRET-WORD"), "{text}"),
            [_, ok, why] => assert!(ok == "refused" && why.contains("may not be read"), "{text}"),
            _ => panic!("{text}"),
        }
    });
}

#[test]
fn a_policy_holds_up_no_other_script() {
    on_tokio(async {
        let text = probe(
            "local seen = 0
            local other = panto.task.spawn(function() while true do panto.task.sleep(0) seen = seen + 1 end end)
            local before = seen
            for _ = 1, 100 do panto.sandbox.allows(panto.sandbox.policy{}, 'write', 'a') end
            other:cancel()
            return tostring(seen > before)",
        );
        assert_eq!(text.await, "true");
    });
}
