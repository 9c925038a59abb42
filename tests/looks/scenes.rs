//! Every pane, question and list there is, each as it is opened by a person.

use super::desk::Desk;
use crate::support::transcript::{answer, assistant, delta, running, session, shell, text, tool, user};
use panto::{
    backend::{
        Approval, Ask, AskItem, AskKind, Asker, ChildTranscript, Completion, ContentPart, DeltaKind, Event, Excerpt,
        ExtensionList, ExtensionState, ExtensionStatus, Item, JobKind, JobState, JobView, KeyState, ModelListing, Node,
        Outline, Phase, Place, Reply, Session, SessionSummary, SessionTarget, SymbolRow, TrustQuestion, Widget,
    },
    config::{SettingRow, Settings},
    conversation::{Role, Status, Usage},
    element::{Element, Line},
    tui::{
        app::{dialog::Dialog, welcome::LocalServer},
        effect::Purpose,
        update::Message,
    },
    util::paths::Paths,
};
use serde_json::json;
use std::{path::PathBuf, sync::Arc, time::SystemTime};

/// A name, how it is opened, and whether a row of it is marked.
pub type Scene = (&'static str, fn(&mut Desk), bool);

const ANSWER: &str = "## Found it\n\nThe parser **drops** the last row, see `rows.rs` and [the issue](https://x.org):\n\n\
    1. it *stops* at the first blank\n2. and nobody asks\n\n> A row ends where the next begins.\n\n\
    ```rust\n// The tail is a row.\nfn rows(text: &str) -> usize {\n    text.lines().count() + 1\n}\n```\n\n\
    | case | rows |\n|---|---|\n| empty | 0 |\n| 击击 | 2 |\n";
const DIFF: &str = "--- a/rows.rs\n+++ b/rows.rs\n@@ -1,3 +1,3 @@\n fn rows(text: &str) -> usize {\n\
    -    text.lines().count()\n+    text.lines().count() + 1\n }\n";

pub const SCENES: &[Scene] = &[
    ("empty", |_| (), false),
    ("transcript", |d| _ = transcript(d), false),
    ("tools-open", |d| _ = transcript(d).keys("ctrl-o"), false),
    ("stream", stream, false),
    ("queue", queue, false),
    ("hint", |d| _ = transcript(d).submit("/nonsense"), false),
    ("draft", |d| _ = transcript(d).type_text("some 你好 text").keys("alt-enter").type_text("and more"), false),
    ("blocks", |d| _ = transcript(d).keys("ctrl-x up up"), false),
    ("search", |d| _ = transcript(d).keys("ctrl-f").type_text("rows"), false),
    ("widgets", widgets, false),
    ("jobs", |d| _ = jobs(d), false),
    ("jobs-marked", |d| _ = jobs(d).keys("ctrl-x right"), false),
    ("child", |d| children(d, "ctrl-x 1"), false),
    ("tiles", |d| children(d, "ctrl-x t"), false),
    ("approval", |d| _ = transcript(d).event(Event::ApprovalRequested(approval(None))), true),
    ("approval-diff", |d| _ = transcript(d).event(Event::ApprovalRequested(approval(Some(DIFF)))), true),
    ("trust", trust, true),
    (
        "locked",
        |d| d.app.open.dialogs.push_back(Dialog::locked(SessionTarget::Id("x".into()), "held by 42", false)),
        true,
    ),
    ("key", |d| _ = d.submit("/login openai").type_text("sk-unseen"), false),
    (
        "ask-confirm",
        |d| ask(d, AskKind::Confirm { yes: "delete it".into(), no: "keep it".into(), default: false }),
        true,
    ),
    ("ask-select", |d| ask(d, select(false)), true),
    ("ask-several", |d| ask(d, select(true)), true),
    ("ask-input", |d| ask(d, AskKind::Input { default: String::new(), placeholder: "who are you?".into() }), false),
    ("ask-edit", |d| ask(d, AskKind::Edit { default: "one\ntwo".into() }), false),
    ("commands", |d| _ = transcript(d).type_text("/"), true),
    ("files", files, true),
    ("sessions", |d| _ = transcript(d).submit("/resume").reply(Reply::Sessions(sessions())), true),
    ("models", |d| _ = transcript(d).submit("/model").reply(Reply::Models(models())), true),
    ("thinking", |d| _ = transcript(d).submit("/thinking"), true),
    ("modes", |d| _ = transcript(d).submit("/mode"), true),
    ("themes", |d| _ = transcript(d).submit("/theme"), true),
    ("palette", |d| _ = transcript(d).keys("ctrl-p").type_text("mo"), true),
    ("keys", |d| _ = transcript(d).keys("?"), true),
    ("tools", |d| _ = transcript(d).submit("/tools").reply(Reply::Tools(tools())), true),
    ("extensions", |d| _ = transcript(d).submit("/extensions").reply(Reply::Extensions(extensions())), true),
    ("logins", |d| _ = transcript(d).submit("/login").reply(Reply::Keys(keys())), true),
    ("prompts", prompts, true),
    ("settings", |d| _ = transcript(d).submit("/settings").message(Message::Settings(Ok(settings()))), true),
    ("welcome", |d| d.app.open.dialogs.push_back(Dialog::welcome(Some(&LocalServer::among(&models())))), true),
    ("symbols", symbols, true),
    ("tree", |d| _ = transcript(d).submit("/tree").reply(Reply::Tree(Box::new(outline()))), true),
];

/// Opens the scene over an idle session.
pub fn open(scene: &Scene, d: &mut Desk) {
    d.event(Event::SessionOpened(Arc::new(idle())));
    (scene.1)(d);
}

fn idle() -> Session {
    Session { context_window: 128_000, context_used: 15_000, name: Some("my session".into()), ..session(vec![]) }
}

fn items() -> Vec<Arc<Item>> {
    let thinking = ContentPart::Thinking { text: "The last row is missing.".into(), took_ms: Some(4000) };
    vec![
        user("u", "fix the failing test"),
        assistant("a", Status::Complete, vec![thinking, text("I look for it.")]),
        tool("t1", "Ran cargo test", "running 12 tests\ntest rows ... FAILED", true, Some(json!({"exit_code": 101}))),
        shell("t2", "Ran ls", "Cargo.toml\n\u{1b}[32msrc\u{1b}[0m\nrows.rs"),
        tool("t3", "Edited rows.rs", "", false, Some(json!({ "diff": DIFF }))),
        answer("e", ANSWER),
    ]
}

fn transcript(d: &mut Desk) -> &mut Desk {
    d.event(Event::SessionOpened(Arc::new(Session { transcript: items(), ..idle() })))
}

fn stream(d: &mut Desk) {
    transcript(d).changed(Session { phase: Phase::Turn, ..idle() });
    d.event(Event::ItemStarted(running("r", "Running cargo test")));
    d.event(Event::ItemUpdated { item_id: "r".into(), append: Some("compiling\n".into()), content: None, title: None });
    d.event(Event::ItemStarted(assistant("s", Status::Streaming, vec![])));
    d.event(delta("s", 0, DeltaKind::Thinking, "what now?")).event(delta("s", 1, DeltaKind::Text, "It *comes* in "));
}

fn queue(d: &mut Desk) {
    let queued_steer = vec!["also the changelog".to_owned()];
    let follow_ups = vec!["and then the docs".to_owned(), "and the rest".into()];
    let not_saved = Some("disk full".into());
    transcript(d).changed(Session { phase: Phase::Turn, queued_steer, follow_ups, not_saved, ..idle() });
}

fn widgets(d: &mut Desk) {
    let element = Element::Text(Line::plain("words — that are long\n".repeat(9)));
    let widget = |place| Widget { extension: "x".into(), id: "i".into(), place, height: 6, element: element.clone() };
    let widgets = Place::ALL.iter().map(|(_, place)| Arc::new(widget(*place))).collect();
    transcript(d).changed(Session { widgets, ..idle() });
}

fn settings() -> Vec<SettingRow> {
    let nowhere = PathBuf::from("/nonexistent");
    Settings::of_user(&Paths { data: nowhere.clone(), config: nowhere, home: None }).rows().expect("what is built in")
}

fn symbols(d: &mut Desk) {
    let symbol =
        |name: &str, line| SymbolRow { name: name.into(), kind: "fn".into(), path: "src/rows.rs".into(), line };
    transcript(d).type_text("look at @#");
    d.message(Message::Reply(Purpose::Symbols, Ok(Reply::Symbols(vec![symbol("rows", 2), symbol("widths", 9)]))));
    let lines = ["// The tail is a row.", "fn rows(text: &str) -> usize {", "    text.lines().count() + 1", "}"];
    let excerpt = Excerpt { first: 1, lines: lines.map(String::from).to_vec() };
    d.message(Message::Reply(Purpose::Peek("@src/rows.rs:2 (rows)".into()), Ok(Reply::Excerpt(excerpt))));
}

fn jobs(d: &mut Desk) -> &mut Desk {
    let states = [JobState::Running, JobState::Waiting, JobState::Completed, JobState::Failed];
    let job = |(at, state): (usize, &JobState)| {
        Arc::new(JobView {
            id: format!("j{at}"),
            kind: JobKind::Agent,
            name: ["explore", "tests", "docs", "deploy"][at].into(),
            state: *state,
            progress: Some("Running cargo nextest".into()),
            parent: None,
            session_id: Some(format!("c{at}")),
            model: Some("env:kid".into()),
            usage: Usage { output: 3100, ..Usage::default() },
            // A running time would be another at each run.
            started_at: if state.is_over() { "2026-11-29T16:15:00.000Z".into() } else { String::new() },
            ended_at: state.is_over().then(|| "2026-11-29T16:15:12.000Z".into()),
            error: (*state == JobState::Failed).then(|| "no such host".into()),
        })
    };
    let jobs: Vec<_> = states.iter().enumerate().map(job).collect();
    transcript(d).changed(Session { phase: Phase::Turn, ..idle() });
    d.changed(Session { phase: Phase::Turn, jobs, ..idle() })
}

/// Looks into children; what they have said comes then.
fn children(d: &mut Desk, keys: &str) {
    jobs(d).keys(keys);
    for at in 0..4 {
        let child = ChildTranscript { child_id: format!("c{at}"), items: items(), left_out: 0 };
        d.event(Event::ChildOpened(Arc::new(child)));
    }
}

fn approval(diff: Option<&str>) -> Arc<Approval> {
    Arc::new(Approval {
        id: "1".into(),
        call_id: None,
        asker: Asker { kind: "main".into(), job_id: None, name: "main".into() },
        tool_name: if diff.is_some() { "std.edit".into() } else { "std.shell".into() },
        input: json!({"command": "rm -rf build"}),
        reason: "it writes outside of the workspace".into(),
        rule: "std.shell(rm *)".into(),
        diff: diff.map(str::to_owned),
        command: diff
            .is_none()
            .then(|| "rm -rf build && echo a line that is long enough to be broken on a narrow screen".into()),
        created_at: String::new(),
    })
}

fn trust(d: &mut Desk) {
    let brings = vec![".panto/extensions/spy.lua".into(), ".panto/config.toml".into()];
    d.event(Event::TrustAsked(Arc::new(TrustQuestion { folder: "/work".into(), brings, changed: false })));
}

fn ask(d: &mut Desk, kind: AskKind) {
    let (extension, title, text) = ("demo".into(), "Which one?".into(), "There is no other.".into());
    transcript(d).event(Event::Asked(Arc::new(Ask {
        id: "q".into(),
        extension,
        title,
        text,
        kind,
        created_at: String::new(),
    })));
}

fn select(multi: bool) -> AskKind {
    let item = |n: usize| AskItem { label: format!("item {n}"), detail: "a detail".into() };
    AskKind::Select { items: (0..30).map(item).collect(), multi, default: vec![2] }
}

fn files(d: &mut Desk) {
    let mention = Completion { value: "issue:4711".into(), description: "the parser drops a row".into() };
    let files = ["src/rows.rs", "src/main.rs", "README.md"].map(Into::into).into();
    transcript(d).type_text("@r");
    d.message(Message::Reply(Purpose::Files, Ok(Reply::Files(files))));
    d.message(Message::Reply(Purpose::Mentions, Ok(Reply::Completions(vec![mention]))));
}

fn sessions() -> Vec<SessionSummary> {
    let row = |n: u64| SessionSummary {
        id: format!("s{n}"),
        path: format!("/data/s{n}.jsonl").into(),
        name: (n == 1).then(|| "the parser".into()),
        first_prompt: Some(format!("prompt {n}: fix what is broken in the parser of rows and columns")),
        cwd: "/work".into(),
        created: SystemTime::UNIX_EPOCH,
        updated: SystemTime::UNIX_EPOCH,
        messages: 12,
        model: Some("env:bench".into()),
        size: 204_800,
        answered: true,
        locked_by: (n == 2).then_some(42),
        damage: (n == 3).then(|| "3 lines cannot be read".into()),
        has_children: n == 4,
        branch: Some("main".into()),
        held_here: false,
    };
    (0..12).map(row).collect()
}

fn models() -> Vec<ModelListing> {
    let model = |reference: &str, authenticated: bool| ModelListing {
        reference: reference.into(),
        name: "A model".into(),
        context: 200_000,
        output: 8192,
        images: true,
        thinking: vec![],
        price: Some((3.0, 15.0)),
        authenticated,
        missing: (!authenticated).then(|| "set XAI_API_KEY".into()),
    };
    vec![model("anthropic:sonnet", true), model("openai:gpt", true), model("xai:grok", false)]
}

fn tools() -> Vec<(String, String, String)> {
    let tool = |name: &str| (name.to_owned(), "Reads a text file, or part of it.".to_owned(), "built-in".to_owned());
    ["std.edit", "std.read", "std.shell"].map(tool).into()
}

fn extensions() -> ExtensionList {
    let of = |name: &str, status| ExtensionState {
        name: name.into(),
        layer: "user".into(),
        status,
        file: Some(format!("/config/extensions/{name}.lua").into()),
        tools: vec!["kids".into()],
        errors: if status == ExtensionStatus::Failed { vec!["kids.lua:3: boom".into()] } else { vec![] },
        ..ExtensionState::default()
    };
    let extensions = vec![
        of("kids", ExtensionStatus::Loaded),
        of("spy", ExtensionStatus::Failed),
        of("todo", ExtensionStatus::Disabled),
    ];
    ExtensionList { extensions, memory: 123_456 }
}

fn keys() -> Vec<KeyState> {
    let key = |provider: &str, kept: bool| KeyState {
        provider: provider.into(),
        origins: if kept { vec!["auth.json".into()] } else { vec![] },
        required: true,
        kept,
    };
    vec![key("anthropic", true), key("openai", false)]
}

fn prompts(d: &mut Desk) {
    let prompts = ["fix the test", "write the changelog", "what does this do?"].map(str::to_owned).into();
    transcript(d).message(Message::History(prompts)).keys("ctrl-r");
}

fn outline() -> Outline {
    let node = |id: &str, parent: Option<&str>, role: Role, active: bool| Node {
        id: id.into(),
        parent_id: parent.map(str::to_owned),
        kind: "message".into(),
        role: Some(role),
        text: format!("what was said at {id}"),
        said: true,
        prompt: role == Role::User,
        calls: false,
        results: false,
        timestamp: String::new(),
        label: (id == "q2").then(|| "try".into()),
        active,
        children: 0,
    };
    let nodes = vec![
        node("q1", None, Role::User, true),
        node("a1", Some("q1"), Role::Assistant, true),
        node("q2", Some("a1"), Role::User, false),
        node("a2", Some("q2"), Role::Assistant, false),
        node("q3", Some("a1"), Role::User, true),
        node("a3", Some("q3"), Role::Assistant, true),
    ];
    Outline { nodes, tip: Some("a3".into()), left: Some("a2".into()) }
}
