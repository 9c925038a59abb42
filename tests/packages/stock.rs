//! `panto lua` beside the stock interpreter of the system, where there is one: the same output, messages and exit code.

use crate::support::World;
use std::path::Path;
use std::process::{Command, Stdio};

const STOCK: &str = "/usr/bin/lua5.4";

/// Command lines, with `|` between words.
const LINES: &[&str] = &[
    "-e|print(1)",
    "-e|error('x')",
    "-e|error({})",
    "-e|x =",
    "-e|local function f() error('deep') end f()",
    "s.lua|a|b",
    "s2.lua",
    "nofile.lua",
    "-l|mod|-e|print(mod.v)",
    "-l|m=mod|-e|print(m.v)",
    "-lmod|-e|print(mod.v)",
    "-",
    "-e|print(...)|s.lua|q",
    "-e|setmetatable(_G, {__tostring = function() return 'G' end}) error(_G)",
    "-e|os.exit(3)",
    "-e|os.exit(true, true)",
    "-e|os.exit(false)",
    "-W|-e|warn('hey')",
    "-e|warn('@on') warn('a', 'b') warn('@off') warn('c')",
    "--|s2.lua",
    "-e|print(coroutine.isyieldable(), coroutine.running())",
    "-e|io.stdin:read('a')",
    "-e|error('é')",
    "-e|print(arg[1], arg[0], #arg, arg[-1])",
    "-e|local t <close> = setmetatable({}, {__close = function() print 'c' end}) error('e')",
    "-e|setmetatable({}, {__gc = function() print 'collected' end})",
    "-e|string.rep('x', -1)()",
    "-e|error()",
    "-e|error(nil)",
    "-e|error(12)",
    "-e|error('no position', 0)",
    "-e|print(pcall(xpcall, error, debug.traceback))",
    "-e|local co = coroutine.create(function() error('in') end) print(coroutine.resume(co))",
    "-e|print(require('mod') ~= nil, select('#', require('mod')), select(2, require('mod')))",
    "-e|print(collectgarbage('incremental'))",
    "-e|arg = nil|s.lua",
];

struct Seen {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run(world: &World, program: &str, first: &[&str], words: &[&str]) -> Seen {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(program);
    command.arg0("lua").args(first).args(words).env_clear().envs(world.env()).current_dir(world.project());
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    // Addresses differ from run to run.
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.split_inclusive(' ').map(|w| if w.starts_with("0x") { "0x… " } else { w }).collect::<String>()
    };
    Seen { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

fn same(world: &World, line: &str) {
    let words: Vec<&str> = line.split('|').collect();
    let (theirs, ours) = (run(world, STOCK, &[], &words), run(world, env!("CARGO_BIN_EXE_panto"), &["lua"], &words));
    let steady = |text: &str| match text.find("thread: 0x") {
        Some(at) => text[..at].to_owned(),
        None => text.to_owned(),
    };
    assert_eq!(steady(&ours.out), steady(&theirs.out), "standard output of {line}");
    assert_eq!(ours.err, theirs.err, "standard error of {line}");
    assert_eq!(ours.code, theirs.code, "exit code of {line}");
}

#[test]
fn r48_the_same_as_the_stock_interpreter() {
    if !Path::new(STOCK).exists() {
        return eprintln!("skipped: {STOCK} is not installed");
    }
    let mut world = World::new();
    world.write("s.lua", "print(#arg, arg[0], arg[-1] ~= nil, ...) error({code=1})\n");
    world.write("s2.lua", "#!/usr/bin/lua\nlocal function f() error('x') end\nf()\n");
    world.write("mod.lua", "return {v = 42}\n");
    LINES.iter().for_each(|line| same(&world, line));
    world.write("init.lua", "print('from a file', ...)");
    for init in ["print('init')", "@init.lua", "@nowhere.lua", "error('in init')"] {
        world.set("LUA_INIT", init);
        same(&world, "-e|print(2)");
        same(&world, "-E|-e|print(2)");
    }
    world.set("LUA_INIT_5_4", "print('this one')");
    same(&world, "-e|print(3)");
}
