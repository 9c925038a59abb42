//! Sixteen agents that stream 200 tokens a second each, four of them in view; and fifty that have ended with a megabyte
//! of output each.
//!
//! `cargo bench --bench children`: CPU time of the program, the time from a key to its letter on the screen (p50, p99),
//! and memory before and after. `BENCH_SECONDS=20` takes longer than five.

#[allow(dead_code)]
#[path = "../support/mod.rs"]
mod support;

use std::{
    fs,
    time::{Duration, Instant},
};
use support::{Model, Terminal, World, kids::KIDS};

const STREAMING: usize = 16;
const ENDED: usize = 50;
const KEYS: usize = 200;
/// What the agents that end may take on a machine that others use too.
const LONGEST: Duration = Duration::from_secs(300);

fn main() {
    let seconds: u64 = std::env::var("BENCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    stream(seconds);
    memory();
}

fn parent(kids: usize) -> String {
    let names: Vec<String> = (0..kids).map(|n| format!("\"K{n:02}\"")).collect();
    format!(
        "[[turn]]\nwhen = \"PARENT\"\non = \"prompt\"\nsteps = [{{ tool = {{ name = \"kids\", input = {{ names = [{}] }} }} }}]\n\
         [[turn]]\nwhen = \"PARENT\"\non = \"results\"\nsteps = [{{ text = \"PARENT-DONE\" }}]\n",
        names.join(", ")
    )
}

fn begin(script: &str) -> (World, Model, Terminal) {
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    world.user("extensions/kids.lua", KIDS);
    let limits = "[jobs]\nmax_parallel = 50\n[tools]\nmax_output_bytes = 2000000\nmax_output_lines = 100000\n";
    world.user("config.toml", limits);
    let mut t = Terminal::panto(&world, &[], 160, 50);
    t.wait("type a prompt");
    (world, model, t)
}

fn stream(seconds: u64) {
    let words = "The quick **brown** fox jumps over it, and `so` on. \\n\\n".repeat(2000);
    let script = format!(
        "{}[[turn]]\nwhen = \"do K\"\ntimes = 0\nchunk = 4\ntokens_per_second = 200\nsteps = [{{ text = \"{words}\" }}]\n",
        parent(STREAMING)
    );
    let (_world, _model, mut t) = begin(&script);
    t.submit("PARENT go").wait("kid K15");
    let report = |t: &mut Terminal, what: &str| {
        let (cpu, since) = (cpu(t.pid()), Instant::now());
        std::thread::sleep(Duration::from_secs(seconds));
        let share = (self::cpu(t.pid()) - cpu).as_secs_f64() / since.elapsed().as_secs_f64();
        println!("{STREAMING} agents streaming, {what}: {:.1} % of a core", share * 100.0);
    };
    report(&mut t, "none in view");
    t.key("ctrl-x").key("t").wait("quick");
    report(&mut t, "four in view");
    let mut times: Vec<Duration> = (0..KEYS).map(|n| key(&mut t, n)).collect();
    times.sort();
    let at = |part: usize| times[(KEYS * part / 100).min(KEYS - 1)].as_secs_f64() * 1000.0;
    println!("from a key to its letter: p50 {:.1} ms, p99 {:.1} ms", at(50), at(99));
}

fn key(t: &mut Terminal, n: usize) -> Duration {
    let letter = char::from(b'a' + (n % 26) as u8).to_string();
    let since = Instant::now();
    t.send(&letter).wait_for("the letter", |screen| screen.contains(&format!("> {letter}")));
    let took = since.elapsed();
    t.key("ctrl-u").wait("> Enter steers");
    took
}

fn memory() {
    let call = "{ tool = { name = \"std.shell\", input = { command = \"yes 0123456789abcdef | head -c 1048576\" } } }";
    let script = format!(
        "{}[[turn]]\nwhen = \"do K\"\non = \"prompt\"\ntimes = 0\nsteps = [{call}]\n\
         [[turn]]\nwhen = \"do K\"\non = \"results\"\ntimes = 0\nsteps = [{{ text = \"ANSWER\" }}]\n",
        parent(ENDED)
    );
    let (_world, _model, mut t) = begin(&script);
    let before = resident(t.pid());
    t.submit("PARENT go");
    let since = Instant::now();
    while !t.screen().contains("PARENT-DONE") && since.elapsed() < LONGEST {
        std::thread::sleep(Duration::from_millis(100));
    }
    t.wait("type a prompt");
    let after = resident(t.pid());
    // What scripts have let go of is collected when nothing else is to be done.
    std::thread::sleep(Duration::from_secs(5));
    let rested = resident(t.pid());
    println!(
        "{ENDED} agents that have ended, 1 MB of output each: {before} MB before, {after} MB after, {rested} MB at rest ({:.1} s)",
        since.elapsed().as_secs_f64()
    );
}

/// CPU time of a process.
fn cpu(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = [11, 12].iter().filter_map(|at| fields.get(*at)?.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// MB.
fn resident(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}
