//! What the sandbox costs a command: a sandboxed `true` against a bare one, with the usual policy of a repository.
//!
//! `cargo bench --profile dev --bench sandbox -- [RUNS]`; 500 runs of each unless told, one after the other in turns.

use panto::sandbox::{Ground, Plans, Policy, Prepared, Support, Watch, probe};
use std::{
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

fn main() {
    let runs = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(500);
    let support = probe();
    println!("{}", support.describe());
    if !support.available {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let work = folder.path().join("work");
    std::fs::create_dir(&work).expect("a folder");
    let made = Command::new("git").args(["init", "-q"]).current_dir(&work).status();
    if !made.is_ok_and(|status| status.success()) {
        println!("without a repository: there is no git");
    }
    compare("as it is", &work, &support, runs);
    compare("without namespaces", &work, &support.without_namespaces(), runs);
}

fn compare(what: &str, work: &Path, support: &Support, runs: usize) {
    let [mut bare, mut held, mut usual, mut made, mut anew, mut watched] = std::array::from_fn(|_| Times::default());
    let (own, plans) = (policy(work), Plans::default());
    for _ in 0..runs {
        bare.add(|| run(work, None));
        held.add(|| run(work, Some((support, &plans))));
        usual.add(|| drop(policy(work)));
        made.add(|| drop(before(&own, work, support, &plans)));
        anew.add(|| drop(before(&own, work, support, &Plans::default())));
        let watch = own.look(support).watch();
        watched.add(|| drop(watch.changes()));
    }
    for (name, times) in [
        ("bare", bare),
        ("sandboxed", held),
        ("of that the policy", usual),
        ("of that what is done before", made),
        ("what is done before the first one", anew),
        ("of that the comparison", watched),
    ] {
        println!("{what}: {name}: {}", times.told());
    }
}

/// What a caller does for every command: policy, comparison before, start, wait, comparison after.
fn run(work: &Path, held: Option<(&Support, &Plans)>) {
    let mut command = Command::new("true");
    command.current_dir(work).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let watch = held.map(|(support, plans)| {
        let (prepared, watch) = before(&policy(work), work, support, plans);
        // SAFETY: `enter` is made for this place.
        unsafe { command.pre_exec(move || prepared.enter()) };
        watch
    });
    if held.is_none() {
        // As panto's own children: forked, not spawned.
        // SAFETY: does nothing.
        unsafe { command.pre_exec(|| Ok(())) };
    }
    assert!(command.status().expect("a child").success());
    assert!(watch.is_none_or(|watch| watch.changes().is_empty()));
}

fn before(policy: &Policy, work: &Path, support: &Support, plans: &Plans) -> (Prepared, Watch) {
    plans.prepare(policy, support, work).expect("a sandbox")
}

fn policy(work: &Path) -> Policy {
    let home = std::env::var("HOME").unwrap_or_else(|_| "/root".into());
    let home = Path::new(&home);
    Policy::usual(&Ground {
        cwd: work,
        home: Some(home),
        config: &home.join(".config/panto"),
        data: &home.join(".local/share/panto"),
        env: &|name| std::env::var(name).ok(),
        write: &[],
        read_deny: &[],
        network: true,
    })
}

/// How long each run took, and what all of them took of the processor: the latter tells more on a busy machine.
#[derive(Default)]
struct Times {
    each: Vec<Duration>,
    busy: Duration,
}

impl Times {
    fn add(&mut self, work: impl FnOnce()) {
        let (start, before) = (Instant::now(), busy());
        work();
        self.each.push(start.elapsed());
        self.busy += busy() - before;
    }

    fn told(mut self) -> String {
        self.each.sort();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let at = |percent: usize| ms(self.each[(self.each.len() * percent / 100).min(self.each.len() - 1)]);
        let busy = ms(self.busy) / self.each.len() as f64;
        format!("best {:.2} ms, p50 {:.2} ms, p99 {:.2} ms, processor {busy:.2} ms", at(0), at(50), at(99))
    }
}

/// Of this process and of its children that have ended.
fn busy() -> Duration {
    let of = |who| {
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the structure is ours, and of plain numbers.
        unsafe { libc::getrusage(who, &raw mut usage) };
        let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
        time(usage.ru_utime) + time(usage.ru_stime)
    };
    of(libc::RUSAGE_SELF) + of(libc::RUSAGE_CHILDREN)
}
