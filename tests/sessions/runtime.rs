//! What the program does with the states of a session file: a lost lock, a lock that cannot be looked at, a session that
//! takes long to open, an acknowledgement.

use super::*;
use panto::{
    backend::{
        self, BackendError, Code, Command as Wish, Event, Link, Reply, SendAs, SessionTarget, Setup, StartSession,
        Trust,
    },
    config::Options,
    lua::{self, Sources},
    provider::{
        Providers,
        faux::{Script, Served, Step, Turn, serve},
    },
    session::load,
    util::paths::Paths,
};
use std::{collections::HashMap, sync::Arc, time::Duration};

/// However slow the machine: what has not happened by then will not.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct Stage {
    pub(super) place: Place,
    pub(super) served: Served,
    lua: lua::Handle,
    pub(super) link: Link,
    session: String,
}

impl Stage {
    pub(super) async fn new(turns: impl IntoIterator<Item = Turn>) -> Stage {
        Stage::with(Options { mode: panto::config::Mode::Auto, ..Options::default() }, turns).await
    }

    pub(super) async fn with(options: Options, turns: impl IntoIterator<Item = Turn>) -> Stage {
        let place = Place::new();
        let served = serve(Script::of(turns), 0).await.unwrap();
        let env: HashMap<&str, String> = [("PANTO_BASE_URL", served.url()), ("PANTO_API_KEY", "sk-test".into())].into();
        let paths = Paths { data: place.path("data"), config: place.path("config"), home: None };
        let lookup = Arc::new(move |name: &str| env.get(name).cloned());
        let lua = lua::start(lua::Config {
            face: lua::Face::default(),
            options: options.clone().into(),
            paths: paths.clone(),
            cwd: place.cwd(),
            sources: Sources::default(),
            builtin_commands: vec![],
        });
        let setup = Setup {
            providers: Arc::new(Providers::new(&options, lookup, &paths.data.join("auth.json"))),
            options,
            paths,
            cwd: place.cwd(),
            sources: vec![],
            extensions: Arc::new(lua.clone()),
            start: StartSession::New,
            handover: panto::backend::Handover { socket: Some(place.path("panto.sock")), ask: None },
            name: None,
            no_session: false,
            model: Some("env:bench".into()),
            thinking: None,
            tools: None,
            system: vec![],
            trust: Trust { trusted: false, question: None, decide: Arc::new(|_| Ok(())) },
            interactive: false,
            hosted: None,
        };
        let link = backend::start(setup).await.unwrap();
        let mut stage = Stage { place, served, lua, link, session: String::new() };
        stage.until(|e| matches!(e, Event::Commands(_))).await;
        stage
    }

    /// Hears events until this one.
    #[track_caller]
    pub(super) fn until(&mut self, right: impl Fn(&Event) -> bool) -> impl Future<Output = Event> {
        let place = std::panic::Location::caller();
        async move {
            loop {
                let event = tokio::time::timeout(PATIENCE, self.link.events.recv()).await;
                let event = event.unwrap_or_else(|_| panic!("it never came: {place}")).expect("the backend lives");
                if let Event::SessionOpened(session) = &event {
                    self.session.clone_from(&session.id);
                }
                if right(&event) {
                    return event;
                }
            }
        }
    }

    pub(super) async fn ask(&self, wish: Wish) -> Result<Reply, BackendError> {
        tokio::time::timeout(PATIENCE, self.link.send(wish))
            .await
            .expect("an answer in time")
            .expect("the backend lives")
    }

    pub(super) async fn turn(&mut self, text: &str) {
        self.ask(prompt(text)).await.unwrap();
        self.until(|e| matches!(e, Event::TurnEnded { .. })).await;
    }

    pub(super) fn file(&self) -> PathBuf {
        self.place.store.find(&self.session).unwrap()
    }

    pub(super) fn lock(&self) -> PathBuf {
        format!("{}.lock", self.file().display()).into()
    }

    pub(super) async fn close(self) -> Place {
        self.ask(Wish::Shutdown).await.unwrap();
        self.lua.stop().await;
        self.place
    }
}

pub(super) fn prompt(text: &str) -> Wish {
    Wish::Prompt { text: text.into(), images: vec![] }
}

pub(super) fn says(text: &str) -> Turn {
    Turn { times: 0, ..Turn::of([Step::text(text)]) }
}

/// Every call that would change the session.
fn changes() -> Vec<Wish> {
    vec![
        prompt("again"),
        Wish::FollowUp { text: "f".into() },
        Wish::Steer { text: "s".into() },
        Wish::Send { text: "x".into(), how: SendAs::Prompt, session_id: None },
        Wish::Rename { name: "n".into() },
        Wish::SetModel { model: "env:other".into() },
        Wish::SetThinking { level: panto::conversation::Thinking::Off },
        Wish::Compact { focus: None },
        Wish::AppendCustom { name: "x.y".into(), data: json!({}) },
        Wish::Fork { entry_id: None },
    ]
}

#[tokio::test]
async fn a_lost_lock_ends_the_turn_persists_nothing_and_another_process_may_open_it() {
    for replaced in [false, true] {
        let held = [Step::text("HALF "), Step::Gate("go".into()), Step::text("NOT-TO-BE-STORED")];
        let mut stage =
            Stage::new([says("A1")].map(|t| Turn { times: 1, ..t }).into_iter().chain([Turn::of(held)])).await;
        stage.turn("Q1").await;
        stage.ask(prompt("Q2")).await.unwrap();
        stage.until(|e| matches!(e, Event::AssistantDelta(_))).await;
        let (file, before) = (stage.file(), fs::read(stage.file()).unwrap());
        match replaced {
            true => fs::write(place_of(&stage.lock()), "{}")
                .and_then(|()| fs::rename(place_of(&stage.lock()), stage.lock())),
            false => fs::remove_file(stage.lock()),
        }
        .unwrap();
        // Nothing is written at this moment: the model is silent. The turn ends all the same.
        let end = stage.until(|e| matches!(e, Event::TurnEnded { .. })).await;
        let Event::TurnEnded { error: Some(error), .. } = end else { panic!("{end:?}") };
        assert!(error.contains("lock was taken away"), "{error}");
        stage.served.gates().open("go");
        for wish in changes() {
            let error = stage.ask(wish.clone()).await.expect_err("refused");
            assert_eq!(error.code, Code::SessionLocked, "{wish:?}: {error}");
        }
        let Reply::State(state) = stage.ask(Wish::State).await.unwrap() else { panic!("no state") };
        assert!(!state.locked && state.not_saved.is_some());
        let (mut other, loaded) = Log::open(&file).unwrap();
        assert_eq!(shown(&loaded), ["Q1", "A1", "Q2"]);
        assert_eq!(fs::read(&file).unwrap(), before);
        save(&mut other, vec![answer("theirs")]).await;
        // Closing works, and touches nothing.
        let _place = stage.close().await;
        save(&mut other, vec![user("theirs too")]).await;
        assert_eq!(shown(&load(&file).unwrap()), ["Q1", "A1", "Q2", "theirs", "theirs too"]);
    }
}

fn place_of(lock: &Path) -> PathBuf {
    lock.with_extension("other")
}

#[tokio::test]
async fn a_call_after_the_lock_is_lost_is_refused_before_it_does_anything() {
    let mut stage = Stage::new([says("A")]).await;
    stage.turn("Q1").await;
    fs::remove_file(stage.lock()).unwrap();
    let error = stage.ask(prompt("Q2")).await.unwrap_err();
    assert_eq!(error.code, Code::SessionLocked);
    assert!(error.message.contains("open it again"), "{error}");
    assert_eq!(stage.served.log().len(), 1, "the model was asked");
    // Another session may be opened in its place.
    stage.ask(Wish::New).await.unwrap();
    stage.turn("Q1").await;
    let _place = stage.close().await;
}

#[tokio::test]
async fn a_lock_that_cannot_be_looked_at_is_reported_and_neither_answer_is_assumed() {
    let mut stage = Stage::new([says("A")]).await;
    stage.turn("Q1").await;
    let (folder, away) = (stage.file().parent().unwrap().to_owned(), stage.place.path("away"));
    fs::rename(&folder, &away).unwrap();
    std::os::unix::fs::symlink(folder.file_name().unwrap(), &folder).unwrap();
    let error = stage.ask(prompt("Q2")).await.unwrap_err();
    assert_eq!(error.code, Code::Internal);
    assert!(error.message.contains("lock of the session cannot be looked at"), "{error}");
    fs::remove_file(&folder).unwrap();
    fs::rename(&away, &folder).unwrap();
    stage.turn("Q2").await;
    let file = stage.file();
    let _place = stage.close().await;
    assert_eq!(shown(&load(&file).unwrap()), ["Q1", "A", "Q2", "A"]);
}

#[tokio::test]
async fn a_session_that_cannot_be_opened_leaves_this_one() {
    let mut stage = Stage::new([says("A")]).await;
    stage.turn("Q1").await;
    let target = SessionTarget::Path(stage.place.path("nowhere.jsonl"));
    let error = stage.ask(Wish::Open { target, mode: backend::OpenMode::Write }).await.unwrap_err();
    assert_eq!(error.code, Code::SessionUnreadable);
    stage.turn("Q2").await;
    let file = stage.file();
    let _place = stage.close().await;
    assert_eq!(shown(&load(&file).unwrap()), ["Q1", "A", "Q2", "A"]);
}

#[tokio::test]
async fn what_is_told_to_be_finished_is_in_the_file() {
    let mut stage = Stage::new([says("ANSWER")]).await;
    for n in 0..20 {
        stage.ask(prompt(&format!("Q{n}"))).await.unwrap();
        for _ in 0..2 {
            let Event::ItemFinished(item) = stage.until(|e| matches!(e, Event::ItemFinished(_))).await else {
                continue;
            };
            let branch = load(&stage.file()).unwrap().branch;
            assert!(branch.iter().any(|e| e.id == item.id), "{item:?}");
        }
        stage.until(|e| matches!(e, Event::TurnEnded { .. })).await;
    }
    let _place = stage.close().await;
}

#[tokio::test]
async fn the_second_opener_finds_the_socket_of_the_holder() {
    let mut stage = Stage::new([says("A")]).await;
    stage.turn("Q1").await;
    let holder = panto::session::holder(&stage.file()).unwrap().unwrap();
    assert_eq!(holder.socket, Some(stage.place.path("panto.sock")));
    let _place = stage.close().await;
}

#[tokio::test]
async fn r13_a_session_whose_folder_is_gone_says_so_and_is_not_rebound() {
    let mut stage = Stage::new([says("A")]).await;
    let old = stage.place.path("old");
    fs::create_dir(&old).unwrap();
    let path = stage.place.past_in(&old, "0198d000-0000-7000-8000-000000000009", &["Q", "A"]);
    fs::rename(&old, stage.place.path("new")).unwrap();
    let target = SessionTarget::Id("0198d000-0000-7000-8000-000000000009".into());
    stage.ask(Wish::Open { target, mode: backend::OpenMode::Write }).await.unwrap();
    let told = stage.until(|e| matches!(e, Event::Notice(n) if n.text.contains("is gone"))).await;
    let Event::Notice(notice) = told else { panic!("{told:?}") };
    assert!(notice.text.contains(&old.display().to_string()) && notice.text.contains("sessions rebind"), "{notice:?}");
    stage.turn("Q2").await;
    let _place = stage.close().await;
    assert_eq!(load(&path).unwrap().header.cwd, old);
}

#[tokio::test]
async fn what_could_not_be_saved_is_said_at_the_end() {
    let mut stage = Stage::new([says("A")]).await;
    stage.turn("Q1").await;
    let (folder, away) = (stage.file().parent().unwrap().to_owned(), stage.place.path("away"));
    fs::rename(&folder, &away).unwrap();
    std::os::unix::fs::symlink(folder.file_name().unwrap(), &folder).unwrap();
    let error = stage.ask(Wish::Shutdown).await.unwrap_err();
    assert!(error.message.contains("lock of the session could not be released"), "{error}");
    stage.lua.stop().await;
}

#[tokio::test]
async fn r06_what_is_open_read_only_can_be_forked() {
    let mut stage = Stage::new([says("A")]).await;
    let path = stage.place.past(&["OLD-Q", "OLD-A"]);
    let (mut other, _) = Log::open(&path).unwrap();
    let target = SessionTarget::Path(path.clone());
    let open = |mode| Wish::Open { target: target.clone(), mode };
    let error = stage.ask(open(backend::OpenMode::Write)).await.unwrap_err();
    assert_eq!(error.code, Code::SessionLocked);
    stage.ask(open(backend::OpenMode::ReadOnly)).await.unwrap();
    stage.until(|e| matches!(e, Event::SessionOpened(s) if s.read_only)).await;
    for wish in changes().into_iter().filter(|w| !matches!(w, Wish::Fork { .. })) {
        assert_eq!(stage.ask(wish.clone()).await.expect_err("refused").code, Code::SessionLocked, "{wish:?}");
    }
    save(&mut other, vec![user("LATER")]).await;
    stage.ask(Wish::Fork { entry_id: None }).await.unwrap();
    stage.until(|e| matches!(e, Event::SessionOpened(_))).await;
    stage.turn("Q").await;
    let file = stage.file();
    let _place = stage.close().await;
    // With what the other one has written meanwhile.
    assert_eq!(shown(&load(&file).unwrap()), ["OLD-Q", "OLD-A", "LATER", "Q", "A"]);
    assert_eq!(shown(&load(&path).unwrap()), ["OLD-Q", "OLD-A", "LATER"]);
}

#[tokio::test]
async fn r09_a_session_that_was_left_on_a_full_disk_is_written_when_there_is_room() {
    let mut stage = Stage::new([says("A")]).await;
    // A file where the folder should be: nothing can be written, and then it can.
    let folder =
        stage.place.sessions().join(format!("--{}--", stage.place.cwd().to_str().unwrap()[1..].replace('/', "-")));
    fs::create_dir_all(stage.place.sessions()).unwrap();
    fs::write(&folder, "").unwrap();
    stage.turn("Q1").await;
    let Reply::State(state) = stage.ask(Wish::State).await.unwrap() else { panic!("no state") };
    assert!(state.not_saved.is_some());
    let left = state.id;
    stage.ask(Wish::New).await.unwrap();
    stage.until(|e| matches!(e, Event::Notice(n) if n.text.contains("could not be saved"))).await;
    fs::remove_file(&folder).unwrap();
    let deadline = std::time::Instant::now() + PATIENCE;
    let path = loop {
        assert!(std::time::Instant::now() < deadline, "it never came");
        match stage.place.store.find(&left) {
            Ok(path) if panto::session::holder(&path).unwrap().is_none() => break path,
            _ => tokio::task::yield_now().await,
        }
    };
    assert_eq!(shown(&load(&path).unwrap()), ["Q1", "A"]);
    let _place = stage.close().await;
}
