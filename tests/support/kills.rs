//! Runs of the real program that are killed (`kill -9`) at random moments, and what of them has to be there afterwards.
//!
//! What was acknowledged is known without any help of the program's: a `stream-json` line `item_finished` says that the
//! user's message or the answer is kept; a tool that has run leaves a line in a file of its own, and its call must be in
//! the session; exit code 0 says all of it. After each kill the session file is read with the library, line by line, its
//! lock is taken, and the program itself shows it; the next run goes on in it.

// By its path: a benchmark takes this file by its own.
#[path = "kills/commands.rs"]
mod commands;

use super::{dice::Dice, world::World};
use panto::{
    conversation::{Block, Role},
    session::{self, Entry, EntryKind, Loaded, Log, Store},
};
use serde_json::Value;
use std::{
    collections::HashMap,
    fmt, fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

/// Kills after which a session is brought to its end and another one is begun.
const LIFE: usize = 12;
/// A run that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// What was seen.
#[derive(Debug, Default)]
pub struct Report {
    pub kills: usize,
    /// Runs that were faster than their kill.
    pub ended: usize,
    pub sessions: usize,
    /// Messages that were acknowledged, and found.
    pub messages: usize,
    /// Tools that had run, and whose calls were found.
    pub tools: usize,
    /// Commands that were acknowledged, and found.
    pub commands: usize,
    /// Lines that a kill has cut.
    pub cut: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { kills, ended, sessions, messages, tools, commands, cut } = self;
        write!(
            f,
            "{kills} kills in {sessions} sessions ({ended} runs were faster): {messages} acknowledged messages, {tools} tools \
             and {commands} commands found, {cut} cut lines"
        )
    }
}

/// Kills so many runs. An error says what was lost; the folder is kept then.
pub fn run(kills: usize, seed: u64, mut told: impl FnMut(&Report)) -> Result<Report, String> {
    let mut stage = Stage::new(seed);
    while stage.report.kills < kills {
        if let Err(why) = stage.life(kills) {
            let kept = stage.world.keep();
            return Err(format!("seed {seed}: {why}; everything is in {}", kept.display()));
        }
        told(&stage.report);
    }
    Ok(stage.report)
}

/// A message that was acknowledged.
struct Kept {
    id: String,
    role: Role,
    text: String,
}

struct Stage {
    world: World,
    model: String,
    dice: Dice,
    /// How long a run takes that nobody kills, and how many lines it writes, by kind.
    lengths: HashMap<&'static str, (Duration, usize)>,
    prompts: usize,
    report: Report,
}

/// What happens to one session.
#[derive(Default)]
struct Life {
    id: Option<String>,
    kills: usize,
    kept: Vec<Kept>,
    prompts: Vec<String>,
    tools: usize,
    cut: usize,
}

impl Stage {
    fn new(seed: u64) -> Stage {
        let mut world = World::new();
        world.pin();
        // Compaction finds something to sum up.
        world.user("config.toml", "[agent]\nkeep_recent = 1\n");
        let script = world.write("script.toml", &script());
        let model = format!("faux:{}", script.display());
        Stage { world, model, dice: Dice(seed), lengths: HashMap::new(), prompts: 0, report: Report::default() }
    }

    /// A session from its first prompt to the last check.
    fn life(&mut self, kills: usize) -> Result<(), String> {
        let mut life = Life::default();
        self.report.sessions += 1;
        while life.kills < LIFE && self.report.kills < kills {
            let said = life.kept.iter().rev().find(|k| k.role == Role::User).map(|k| k.id.clone());
            if let Some(at) = said.filter(|_| life.kills % 4 == 3) {
                self.commands(&mut life, &at)?;
                continue;
            }
            let kind = ["short", "long", "short", "long", "big"][self.dice.below(5)];
            if !self.lengths.contains_key(kind) {
                let began = Instant::now();
                let lines = self.go_on(&mut life, kind, None)?;
                self.lengths.insert(kind, (began.elapsed(), lines));
            }
            let moment = self.moment(kind);
            self.go_on(&mut life, kind, Some(moment))?;
        }
        self.go_on(&mut life, "short", None)?;
        self.report.messages += life.kept.len();
        self.report.tools += life.tools;
        self.report.cut += life.cut;
        Ok(())
    }

    fn moment(&mut self, kind: &str) -> Moment {
        let micros = |d: Duration| usize::try_from(d.as_micros()).unwrap_or(usize::MAX).max(1);
        let (length, lines) = self.lengths[kind];
        match self.dice.below(3) {
            0 => Moment { lines: 0, wait: Duration::from_micros(self.dice.below(micros(length)) as u64) },
            _ => Moment {
                lines: self.dice.below(lines.max(1)),
                wait: Duration::from_micros(self.dice.below(2500) as u64),
            },
        }
    }

    /// One run, and the checks after it; gives how many lines it wrote.
    fn go_on(&mut self, life: &mut Life, kind: &str, kill: Option<Moment>) -> Result<usize, String> {
        self.prompts += 1;
        let prompt = format!("{kind} prompt {:05}", self.prompts);
        let mut args = vec!["-p", &prompt, "--output-format", "stream-json", "--model", &self.model];
        args.extend(life.id.is_some().then_some("-c"));
        let ran = Run::start(&self.world, &args).end(kill);
        life.prompts.push(prompt.clone());
        let finished = ran.heard(life)?;
        match (kill.is_some() && ran.code.is_none(), ran.code) {
            (true, _) => {
                life.kills += 1;
                self.report.kills += 1;
            }
            (false, Some(0)) if finished => self.report.ended += usize::from(kill.is_some()),
            (false, code) => return Err(format!("`{prompt}` ended with {code:?}: {}", ran.errors)),
        }
        self.check(life).map_err(|why| format!("after `{prompt}`: {why}"))?;
        Ok(ran.output.len())
    }

    fn check(&mut self, life: &mut Life) -> Result<(), String> {
        let store = Store::new(&self.world.data());
        let Some(id) = life.id.clone() else { return Ok(()) };
        let path = match store.find(&id) {
            Ok(path) => path,
            Err(_) if life.kept.is_empty() => {
                life.id = None;
                return Ok(());
            }
            Err(error) => return Err(error.to_string()),
        };
        let loaded = opened(&path)?;
        life.cut = lines(&path, life.kills)?;
        life.kept.iter().try_for_each(|kept| found(&loaded, kept))?;
        life.tools = self.tools(&loaded, life)?;
        let shown = self.world.run(&["sessions", "show", &id]);
        let said = life.kept.iter().rev().find(|k| k.role == Role::User).map_or("", |k| &k.text);
        match shown.code == 0 && shown.out.contains(said) {
            true => Ok(()),
            false => Err(format!("`panto sessions show` failed or lacks {said:?}: {}", shown.err)),
        }
    }

    /// Each tool that has run has left its prompt in a file.
    fn tools(&self, loaded: &Loaded, life: &Life) -> Result<usize, String> {
        let ran = fs::read_to_string(self.world.project().join("ran")).unwrap_or_default();
        let mut all = 0;
        for prompt in &life.prompts {
            let ran = ran.lines().filter(|line| line == prompt).count();
            let calls = loaded.branch.iter().flat_map(calls).filter(|input| input.contains(prompt.as_str())).count();
            if calls < ran {
                return Err(format!("{ran} tools of `{prompt}` have run, and the session knows {calls}"));
            }
            all += ran;
        }
        Ok(all)
    }
}

/// The file as the library reads it, with its lock, which the dead process must not hold any more.
fn opened(path: &Path) -> Result<Loaded, String> {
    let (log, loaded) = Log::open(path).map_err(|error| error.to_string())?;
    match *log.status().borrow() {
        session::Status::Saved => Ok(loaded),
        ref other => Err(format!("opened with {other:?}")),
    }
}

/// Each line is JSON but those that a kill has cut: how many. A cut line begins as an entry does.
fn lines(path: &Path, kills: usize) -> Result<usize, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let mut cut = 0;
    for (n, line) in bytes.split(|b| *b == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        if serde_json::from_slice::<Value>(line).is_err() {
            cut += 1;
            if !line.starts_with(b"{") {
                return Err(format!("line {} is not the start of an entry", n + 1));
            }
        }
    }
    if cut > kills { Err(format!("{cut} lines are cut after {kills} kills")) } else { Ok(cut) }
}

fn found(loaded: &Loaded, kept: &Kept) -> Result<(), String> {
    let entry = loaded.branch.iter().find(|e| e.id == kept.id);
    let text = entry.and_then(|e| match &e.kind {
        EntryKind::Message(message) if message.role == kept.role => Some(message.text()),
        _ => None,
    });
    match text {
        Some(text) if text == kept.text => Ok(()),
        Some(_) => Err(format!("the acknowledged message {} says something else", kept.id)),
        None => Err(format!("the acknowledged message {} is lost: {:.60}", kept.id, kept.text)),
    }
}

/// The inputs of an entry's calls.
fn calls(entry: &Entry) -> Vec<String> {
    let EntryKind::Message(message) = &entry.kind else { return vec![] };
    let input = |b: &Block| if let Block::ToolUse { input, .. } = b { Some(input.to_string()) } else { None };
    message.blocks.iter().filter_map(input).collect()
}

/// When a run is killed: after so many lines of its output, and then this long.
#[derive(Debug, Clone, Copy)]
struct Moment {
    lines: usize,
    wait: Duration,
}

struct Run {
    child: Child,
    output: Receiver<String>,
}

/// A run that is over.
struct Ended {
    /// None: killed.
    code: Option<i32>,
    output: Vec<String>,
    errors: String,
}

impl Run {
    fn start(world: &World, args: &[&str]) -> Run {
        Run::of(&mut world.command(args))
    }

    fn of(command: &mut Command) -> Run {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let (lines, output) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || stdout.lines().map_while(Result::ok).all(|line| lines.send(line).is_ok()));
        Run { child, output }
    }

    /// One that takes requests as lines; its input stays open while it lives.
    fn rpc(world: &World, args: &[&str], input: &str) -> Run {
        let mut command = world.command(args);
        let mut run = Run::of(command.stdin(Stdio::piped()));
        let stdin = run.child.stdin.as_mut().expect("a pipe");
        stdin.write_all(input.as_bytes()).expect("it reads");
        run
    }

    /// What it says up to so many answers.
    fn until_answers(&mut self, count: usize) -> Vec<String> {
        let (mut told, mut answers) = (vec![], 0);
        let deadline = Instant::now() + PATIENCE;
        while answers < count
            && let Ok(line) = self.output.recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            answers += usize::from(serde_json::from_str(&line).is_ok_and(|line| is_answer(&line)));
            told.push(line);
        }
        told
    }

    fn end(mut self, kill: Option<Moment>) -> Ended {
        let mut output = Vec::new();
        if let Some(Moment { lines, wait }) = kill {
            output.extend(self.output.iter().take(lines));
            let until = Instant::now() + wait;
            while let Ok(line) = self.output.recv_timeout(until.saturating_duration_since(Instant::now())) {
                output.push(line);
            }
            // It may have ended.
            let _ = self.child.kill();
        }
        let deadline = Instant::now() + PATIENCE;
        while let Ok(line) = self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            output.push(line);
        }
        if Instant::now() >= deadline {
            let _ = self.child.kill();
        }
        let code = self.child.wait().expect("it was started here").code();
        let mut errors = String::new();
        // What a tool of a killed run still holds open is not waited for.
        if code.is_some()
            && let Some(mut stderr) = self.child.stderr.take()
        {
            let _ = stderr.read_to_string(&mut errors);
        }
        Ended { code, output, errors }
    }
}

impl Ended {
    /// Takes what was acknowledged; whether the run told its end.
    fn heard(&self, life: &mut Life) -> Result<bool, String> {
        let mut finished = false;
        for line in &self.output {
            // The pipe of a killed run may end within a line.
            let Ok(frame) = serde_json::from_str::<Value>(line) else { continue };
            finished |= frame["type"] == "result";
            let named = frame["session_id"].as_str().filter(|id| !id.is_empty());
            if let Some(id) = named.filter(|id| life.id.get_or_insert_with(|| (*id).to_owned()) != id) {
                return Err(format!("went on in session {id}"));
            }
            if frame["event"] == "item_finished" {
                life.kept.extend(kept(&frame["data"]["item"]));
            }
        }
        Ok(finished)
    }
}

fn is_answer(line: &Value) -> bool {
    line["type"] == "response"
}

fn kept(item: &Value) -> Option<Kept> {
    let role = match item["role"].as_str()? {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return None,
    };
    let texts = item["content"].as_array()?.iter().filter(|part| part["type"] == "text");
    let text = texts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
    Some(Kept { id: item["id"].as_str()?.to_owned(), role, text })
}

/// A short answer; eleven rounds of tools; an answer whose line takes long to write.
fn script() -> String {
    let big = "words that fill a disk, ".repeat(60_000);
    format!(
        r#"
[[turn]]
when = "<conversation>"
times = 0
steps = [{{ text = "a summary of it" }}]

[[turn]]
when = "short"
times = 0
steps = [{{ thinking = "hm" }}, {{ text = "an answer to {{{{last_user}}}}, of some words" }}]

[[turn]]
when = "big"
times = 0
chunk = 400000
steps = [{{ text = "{big}" }}]

[[turn]]
when = "long"
times = 11
steps = [
  {{ text = "I run a tool." }},
  {{ tool = {{ name = "std.shell", input = {{ command = "echo {{{{last_user}}}} >> ran" }} }} }},
  {{ tool = {{ name = "std.shell", input = {{ command = "echo {{{{last_user}}}} >> ran; printf '%04000d' 7" }} }} }},
]

[[turn]]
when = "long"
times = 0
steps = [{{ text = "all done" }}]
"#
    )
}
