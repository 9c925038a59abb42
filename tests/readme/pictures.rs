//! The README's pictures: what the program really shows, in scenes with a scripted model. `UPDATE=1` takes them anew.

use crate::support::{Model, Terminal, World};
use std::fs;

/// A program with a fault, and what finds it.
const ROWS: &str = "\"\"\"Rows of a log file.\"\"\"\n\n\ndef parse_rows(text):\n    rows = []\n    for line in text.split(\"\\n\")[:-1]:\n        rows.append(line.split(\"\\t\"))\n    return rows\n\n\ndef widths(rows):\n    return [max(map(len, column)) for column in zip(*rows)]\n";
const CHECK: &str = "from rows import parse_rows, widths\n\nchecks = {\n    \"an empty file\": parse_rows(\"\") == [],\n    \"two rows\": parse_rows(\"a\\tb\\nc\\td\\n\") == [[\"a\", \"b\"], [\"c\", \"d\"]],\n    \"no newline at the end\": parse_rows(\"a\\tb\\nc\\td\") == [[\"a\", \"b\"], [\"c\", \"d\"]],\n    \"widths\": widths([[\"a\", \"bb\"], [\"ccc\", \"d\"]]) == [3, 2],\n}\nfor name, good in checks.items():\n    print(f\"{'ok' if good else 'FAILED':6} {name}\")\n";

const MEND: &str = r#"
[[turn]]
on = "prompt"
steps = [
  { thinking = "A row is lost where the file has no newline at its end. I run the checks before I touch anything. " },
  { text = "I run the checks first, to see which of them fail.\n" },
  { tool = { name = "std.shell", input = { command = "python3 check.py", description = "Run the checks" } } },
]
[[turn]]
on = "results"
steps = [
  { text = "`split(\"\\n\")[:-1]` takes the last row for the empty text behind the last newline. `splitlines` knows the difference.\n" },
  { tool = { name = "std.edit", input = { path = "rows.py", old_string = "    for line in text.split(\"\\n\")[:-1]:\n        rows.append(line.split(\"\\t\"))", new_string = "    for line in text.splitlines():\n        rows.append(line.rstrip().split(\"\\t\"))" } } },
  { tool = { name = "std.shell", input = { command = "python3 check.py", description = "Run the checks again" } } },
]
[[turn]]
on = "results"
times = 0
steps = [
  { text = """
All four checks pass. What was wrong:

| text | before | now |
|---|---|---|
| `a⇥b⏎c⇥d⏎` | 2 rows | 2 rows |
| `a⇥b⏎c⇥d` | **1 row** | 2 rows |

```python
for line in text.splitlines():      # knows all ends of lines
    rows.append(line.rstrip().split("\\t"))
```

- [x] the fault is mended, in one place
- [ ] the [change log](https://keepachangelog.com) wants a line about it, since the""" },
  { gate = "half" },
  { text = " number of rows may change.\n" },
]
"#;

/// Four agents, each at its work.
const FOUR: &str = r#"
[[turn]]
when = "new format"
on = "prompt"
steps = [
  { text = "Four things can be looked at side by side, so four agents look.\n" },
  { tool = { name = "subagents.run", input = { tasks = [
    { description = "find the readers", prompt = "READERS: who reads the old format?" },
    { description = "measure both", prompt = "MEASURE: which of the two is faster?" },
    { description = "write the checks", prompt = "CHECKS: what must not change?" },
    { description = "read the history", prompt = "HISTORY: why was the old one made?" },
  ] } } },
]
[[turn]]
when = "new format"
on = "results"
times = 0
steps = [{ text = "All four are back." }]
[[turn]]
when = "READERS"
on = "prompt"
steps = [{ text = "I look for everything that opens the file.\n" }, { tool = { name = "std.grep", input = { pattern = "parse_rows" } } }]
[[turn]]
when = "READERS"
on = "results"
times = 0
steps = [{ text = "Two places read it:\n\n1. `check.py`, which calls `parse_rows` by name\n2. `rows.py` itself; `widths` takes what it returns\n\nNeither of them" }, { gate = "READERS" }, { text = " minds." }]
[[turn]]
when = "MEASURE"
on = "prompt"
steps = [{ text = "A million rows each, three times.\n" }, { tool = { name = "std.shell", input = { command = "for n in 1 2 3; do echo \"run $n: tabs 0.41 s, json 1.9$n s\"; done", description = "Measure" } } }]
[[turn]]
when = "MEASURE"
on = "results"
times = 0
steps = [{ text = "Tabs are **4.7 times** as fast to read, and" }, { gate = "MEASURE" }, { text = " half as large." }]
[[turn]]
when = "CHECKS"
on = "prompt"
steps = [{ thinking = "What holds for every file, whatever its format? The number of rows, their order, and that nothing is lost at the end. " }, { text = "Three laws:\n\n- as many rows as lines\n- in their order\n- what is written is read\n\nI write them down as" }, { gate = "CHECKS" }, { text = " checks." }]
[[turn]]
when = "HISTORY"
on = "prompt"
steps = [{ tool = { name = "std.read", input = { path = "rows.py" } } }]
[[turn]]
when = "HISTORY"
on = "results"
times = 0
steps = [{ text = "> Rows of a log file.\n\nIt began as a log: lines were only ever added, and nobody asked for" }, { gate = "HISTORY" }, { text = " more." }]
"#;

fn world(script: &str) -> (World, Model) {
    let mut world = World::new();
    world.write("rows.py", ROWS);
    world.write("check.py", CHECK);
    let model = Model::serve(&mut world, script);
    (world, model)
}

fn open(world: &World, args: &[&str], size: (u16, u16)) -> Terminal {
    let mut t = Terminal::panto(world, args, size.0, size.1);
    t.wait("type a prompt");
    t
}

/// Takes the picture if it is asked for; what must be on it, always.
fn take(t: &Terminal, world: &World, name: &str, shown: &[&str]) {
    let (screen, mut picture) = (t.screen(), t.picture());
    // Where this run's project lies is nobody's business; another name of the same length keeps the picture as it is.
    let project = world.project().display().to_string();
    picture = picture.replace(&project, &format!("{:width$}", "~/src/rows", width = project.len()));
    shown.iter().for_each(|words| assert!(screen.contains(words), "no {words:?} in\n{screen}"));
    assert!(picture.contains("<svg") && picture.contains("fill=\"#"), "{picture}");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(format!("assets/pictures/{name}.svg"), picture).expect("written");
    }
}

fn leave(mut t: Terminal) {
    t.wait("type a prompt").submit("/quit");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_turn_that_streams() {
    let (world, model) = world(MEND);
    let mut t = open(&world, &[], (100, 50));
    t.submit("parse_rows loses the last row of some files: find out why").wait("since the");
    take(&t, &world, "turn", &["FAILED no newline at the end", "splitlines", "All four checks pass", "since the"]);
    model.open("half");
    leave(t);
}

#[test]
fn four_agents_side_by_side() {
    let (world, model) = world(FOUR);
    let mut t = open(&world, &[], (132, 40));
    t.submit("should we move to a new format?");
    let gates = ["READERS", "MEASURE", "CHECKS", "HISTORY"];
    gates.iter().for_each(|gate| _ = model.reached(gate));
    t.key("ctrl-x")
        .key("t")
        .wait("Neither of them")
        .wait("4.7 times")
        .wait("I write them down")
        .wait("nobody asked for");
    take(&t, &world, "agents", &["find the readers", "measure both", "write the checks", "read the history"]);
    gates.iter().for_each(|gate| _ = model.open(gate));
    t.wait_gone("writes").key("esc");
    leave(t);
}

#[test]
fn a_question_before_something_runs() {
    let call = r#"[[turn]]
steps = [{ text = "The old build is in the way; I take it away and build anew." }, { tool = { name = "std.shell", input = { command = "rm -r build && make release", description = "Build anew" } } }]
[[turn]]
times = 0
steps = [{ text = "Then it stays." }]
"#;
    let (mut world, _model) = world(call);
    world.set("PANTO_MODE", "ask");
    let mut t = open(&world, &[], (100, 26));
    t.submit("make a release").wait("make release").wait("[n] no").pause();
    take(&t, &world, "question", &["rm -r build && make release", "[y]"]);
    t.key("n");
    leave(t);
}

#[test]
fn sessions_of_other_days() {
    let (world, _model) =
        world("[[turn]]\ntimes = 0\nsteps = [{ text = \"Done: it is in the change log, with the reason.\" }]\n");
    for prompt in
        ["name the columns of the report", "why is the build slow on Mondays", "a check for rows without a newline"]
    {
        world.run(&["-p", prompt]).ok();
    }
    let mut t = Terminal::panto(&world, &["-r"], 110, 30);
    t.wait("why is the build slow").pause();
    take(&t, &world, "sessions", &["name the columns of the report", "a check for rows without a newline"]);
    t.key("esc").wait_gone("by last activity");
    leave(t);
}

#[test]
fn an_edit_on_a_wide_screen() {
    let edit = r#"[[turn]]
steps = [{ tool = { name = "std.edit", input = { path = "rows.py", old_string = "    rows = []\n    for line in text.split(\"\\n\")[:-1]:\n        rows.append(line.split(\"\\t\"))\n    return rows", new_string = "    lines = text.splitlines()\n    return [line.split(\"\\t\") for line in lines if line]" } } }]
[[turn]]
times = 0
steps = [{ text = "The loop is a list now, and the row without a newline is in it." }]
"#;
    let (world, _model) = world(edit);
    let mut t = open(&world, &[], (132, 24));
    t.submit("make parse_rows shorter, and keep the last row").wait("in it.").wait("type a prompt");
    take(&t, &world, "edit", &["splitlines", "return rows", "Edited"]);
    leave(t);
}
