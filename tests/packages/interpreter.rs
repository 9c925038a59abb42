//! `panto lua` by itself: what a script sees, the prompt, and the words of mistakes.

use super::tree;
use crate::support::{Terminal, World};
use std::fs;

#[test]
fn r48_scripts_arguments_and_exit_codes() {
    let world = World::new();
    world.write("s.lua", "print(arg[0], arg[1], ...) os.exit(5)");
    let ran = world.run(&["lua", "s.lua", "one"]);
    assert_eq!((ran.code, ran.out.as_str()), (5, "s.lua\tone\tone\n"));
    assert_eq!(world.run_with(&["lua", "-", "x"], "print(6 * 7, ...)").ok().out, "42\tx\n");
    assert_eq!(world.run_with(&["lua"], "print('from stdin')").ok().out, "from stdin\n");
    assert_eq!(world.run_with(&["lua", "-e", "print(io.read('n'))"], "17").ok().out, "17\n");
    let ran = world.run(&["lua", "-e", "error('kaboom')"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.starts_with("lua: (command line):1: kaboom\nstack traceback:\n\t[C]: in function 'error'"),
        "{}",
        ran.err
    );
    let version = world.run(&["lua", "-v"]).ok().out;
    assert!(version.starts_with(&format!("Lua {}", panto::lua::rocks::pins::LUA)), "{version}");
}

#[test]
fn r48_mistakes_in_the_options() {
    let world = World::new();
    for (words, said) in [
        (&["lua", "-e"][..], "lua: '-e' needs argument\nusage: lua [options] [script [args]]\n"),
        (&["lua", "-z"], "lua: unrecognized option '-z'\nusage: "),
        (&["lua", "--help"], "lua: unrecognized option '--help'\nusage: "),
    ] {
        let ran = world.run(words);
        assert_eq!(ran.code, 1, "{words:?}");
        assert!(ran.err.starts_with(said), "{words:?}: {}", ran.err);
    }
}

#[test]
fn r48_a_reader_that_goes_away_ends_the_script() {
    let world = World::new();
    let line = format!(
        "'{}' lua -e 'while true do print(1) end' | head -n 1; exit ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_panto")
    );
    let script = world.write("line.sh", &line);
    let output = std::process::Command::new("bash").arg(script).env_clear().envs(world.env()).output().expect("bash");
    assert_eq!((String::from_utf8_lossy(&output.stdout).as_ref(), output.status.code()), ("1\n", Some(128 + 13)));
}

#[test]
fn r48_ctrl_c_interrupts_a_script_that_waits() {
    let world = World::new();
    let mut t = Terminal::panto(&world, &["lua"], 80, 24);
    t.wait("Lua 5.4").submit("p = require 'panto'").submit("print 'waits' p.task.sleep(1000)").wait("\nwaits");
    t.send("\u{3}").wait("interrupted!");
    t.submit(
        "print(pcall(p.fs.read, 'none')) print('again') p.process.run{cmd='echo up; exec sleep 1000', on_output=print}",
    );
    t.wait("\nagain").wait("\nup").send("\u{3}").wait("interrupted!").submit("= 6 * 7").wait("\n42");
}

#[test]
fn r48_the_prompt_keeps_its_history() {
    let world = World::new();
    let mut t = Terminal::panto(&world, &["lua"], 80, 24);
    t.wait("Lua 5.4").submit("6 * 7").wait("\n42");
    t.submit("x = 5").submit("= x + 1").wait("\n6");
    t.submit("for i = 1, 2 do")
        .wait(">>")
        .submit("print('turn', i)")
        .submit("end")
        .wait("turn\t2".replace('\t', "    ").as_str());
    t.submit("error('in the prompt')").wait("stdin:1: in the prompt").wait("stack traceback");
    t.submit("while true do end").pause().send("\u{3}").wait("interrupted!");
    t.submit("'still ' .. 'here'").wait("\nstill here\n>");
    t.send("\u{4}");
    assert_eq!(t.exit_code(), 0);
    let mut t = Terminal::panto(&world, &["lua", "-i", "-e", "_PROMPT = 'ready: '"], 80, 24);
    t.wait("ready:").send("\u{1b}[A").wait("'still ' .. 'here'").send("\r").wait("\nstill here\nready:").send("\u{4}");
    assert_eq!(t.exit_code(), 0);
    let history = fs::read_to_string(world.data().join("lua_history")).expect("a history");
    assert!(history.contains("6 * 7"), "{history}");
}

#[test]
fn r48_what_is_typed_ahead_is_kept() {
    let world = World::new();
    let mut t = Terminal::panto(&world, &["lua"], 80, 24);
    t.wait("\n>").send("10 + 1\rfor i = 1, 2 do\rprint('turn ' .. i)\rend\r'the ' .. 'end'\r");
    t.wait("\n11").wait("turn 2").wait("\nthe end\n>").send("\u{4}");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn r48_a_prompt_without_a_terminal_shares_its_input_with_the_script() {
    let world = World::new();
    let ran = world.run_with(&["lua", "-i"], "io.read()\nthis line\n1,nil\nx y\n\"unfinished\n").ok();
    assert!(ran.out.contains("> this line\n> 1\tnil\n"), "{}", ran.out);
    assert!(ran.err.contains("stdin:1: syntax error near 'y'\n"), "{}", ran.err);
    assert!(ran.err.ends_with("unfinished string near <eof>\n"), "{}", ran.err);
}

#[test]
fn r38_the_tree_comes_first_on_the_path() {
    let world = World::new();
    world.run(&["bootstrap"]).ok();
    fs::write(tree(&world).join("share/lua/5.4/mine.lua"), "return 'from the tree'").expect("written");
    world.write("mine.lua", "return 'from the folder'");
    assert_eq!(world.run(&["lua", "-e", "print((require 'mine'))"]).ok().out, "from the tree\n");
    let places = world.run(&["lua", "-E", "-e", "print(package.path) print(package.cpath)"]).ok().out;
    let root = world.steady(&tree(&world).display().to_string());
    let mut lines = places.lines();
    let path = lines.next().expect("a path");
    assert!(path.starts_with(&format!("{root}/share/lua/5.4/?.lua;{root}/share/lua/5.4/?/init.lua;/")), "{path}");
    assert!(lines.next().expect("a path").starts_with(&format!("{root}/lib/lua/5.4/?.so;/")), "{places}");
}

#[test]
fn r42_embedded_modules_are_served() {
    let world = World::new();
    let code = "print(type(require('panto.tool').failed), debug.getinfo(require('panto.tool').failed, 'S').source)";
    assert_eq!(world.run(&["lua", "-e", code]).ok().out, "function\t=panto/panto.tool\n");
    let ran = world.run(&["lua", "-l", "nowhere.to.be.found"]);
    assert!(ran.err.contains("no embedded module 'nowhere.to.be.found'"), "{}", ran.err);
}

#[test]
fn r49_any_other_word_is_for_the_agent() {
    let world = World::new();
    for words in [&["luau"][..], &["Lua"], &[]] {
        let ran = world.run(words);
        assert_eq!(ran.code, 2, "{words:?}");
        assert!(ran.err.contains("there is no terminal to draw on"), "{words:?}: {}", ran.err);
    }
}
