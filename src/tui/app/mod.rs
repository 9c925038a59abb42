//! What is on the screen, as state. `update` changes it, `view` draws it, nobody else looks.

pub mod areas;
pub mod children;
pub mod completion;
pub mod dialog;
pub mod editor;
pub mod form;
pub mod history;
pub mod line;
pub mod look;
pub mod picker;
pub mod pointer;
pub mod reading;
pub mod transcript;
pub mod welcome;
pub mod widgets;
pub mod words;

use super::Setup;
use super::action::Action;
use super::input::Key;
use super::keymap::{Context, Keymap, spoken};
use super::text::Ambiguous;
use super::theme::{Theme, Themes};
use crate::backend::{self, CommandDecl, Level, Notice, Phase, Session, TrustQuestion};
use children::{Children, Tile};
use completion::{Completion, Trigger};
use dialog::Dialog;
use editor::{Editor, Fold};
use form::Form;
use history::History;
use look::Look;
use picker::Picker;
use pointer::Pointer;
use ratatui::layout::{Rect, Size};
use reading::Reading;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use transcript::Transcript;
use widgets::Widgets;

/// A second Ctrl-C within this time quits, a second Esc leads back.
const AGAIN_WITHIN: Duration = Duration::from_secs(1);
/// Faults of a keymap that are told at the start.
const TOLD: usize = 5;
/// Between two slices of a search: keys come first.
const SEARCHING: Duration = Duration::from_millis(8);

/// The whole state of the full-screen program.
#[derive(Debug)]
pub struct App {
    /// None until the backend has told; without its transcript.
    pub session: Option<Arc<Session>>,
    pub transcript: Pane,
    pub children: Children,
    pub editor: Editor,
    pub history: History,
    /// What is open over the panes.
    pub open: Open,
    pub look: Look,
    pub keys: Keys,
    pub pointer: Pointer,
    /// What extensions and the folder bring.
    pub offers: Offers,
    /// What extensions keep on the screen.
    pub widgets: Widgets,
    pub screen: Screen,
    /// What waits for the first session.
    pub start: Option<StartUp>,
}

/// The transcript, which has nothing to say to a debugger.
pub struct Pane(pub Transcript);

impl std::fmt::Debug for Pane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Transcript")
    }
}

impl std::ops::Deref for Pane {
    type Target = Transcript;
    fn deref(&self) -> &Transcript {
        &self.0
    }
}

impl std::ops::DerefMut for Pane {
    fn deref_mut(&mut self) -> &mut Transcript {
        &mut self.0
    }
}

/// Lists, pickers, questions. Keys go to the first of: question, picker, transcript, completion, editor.
#[derive(Debug, Default)]
pub struct Open {
    /// The first one is shown.
    pub dialogs: VecDeque<Dialog>,
    /// The first question waits while its asker is looked at.
    pub aside: bool,
    pub picker: Option<Picker>,
    pub completion: Option<Completion>,
    /// The transcript has the keys.
    pub reading: Option<Reading>,
    /// The list that Esc closed: it stays closed while one types on.
    pub closed: Option<Trigger>,
    /// A line or a few for the user, over the editor; gone with the next prompt or Esc.
    pub hint: Option<Notice>,
    /// A point of the session was asked for, and the session is not there yet.
    pub going: bool,
    /// Why the session that is being opened will be read-only, if it will.
    pub read_only: ReadOnly,
    /// The prompt that going to another point has put into the editor.
    pub returned: Option<String>,
}

/// Why a session is opened without writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadOnly {
    /// Whoever started the program, or reaches it from afar, knows.
    #[default]
    Known,
    /// It was asked for.
    Asked,
    /// Another process writes it.
    Held,
}

impl ReadOnly {
    pub fn words(self) -> &'static str {
        match self {
            ReadOnly::Known => "opened read-only",
            ReadOnly::Asked => "opened read-only, as asked",
            ReadOnly::Held => "opened read-only: another process writes this session",
        }
    }
}

/// Keys that are being pressed.
#[derive(Debug, Default)]
pub struct Keys {
    pub map: Keymap,
    /// The terminal tells all keys apart.
    pub protocol: bool,
    /// A key was pressed in this run.
    pub pressed: bool,
    /// The beginning of a sequence.
    pub prefix: Vec<Key>,
    /// A Ctrl-C on an empty editor, and when it was.
    pub quit_armed: Option<Instant>,
    /// An Esc on an empty editor, and when it was.
    pub back_armed: Option<Instant>,
    /// When text last went into the editor.
    pub typed: Option<Instant>,
}

#[derive(Debug, Default)]
pub struct Offers {
    pub commands: Arc<Vec<CommandDecl>>,
    pub files: Vec<PathBuf>,
    /// What extensions let one mention behind an `@`.
    pub mentions: Vec<backend::Completion>,
    /// Definitions in files, once they were asked for.
    pub symbols: Vec<backend::SymbolRow>,
    pub trust: Option<Arc<TrustQuestion>>,
}

#[derive(Debug)]
pub struct Screen {
    pub size: Size,
    pub mouse: bool,
    pub motion: bool,
    pub ambiguous: Ambiguous,
    /// Words lead to where they say, in a terminal that can follow.
    pub links: bool,
    /// The git branch of the session's folder.
    pub branch: Option<String>,
    /// A prompt was sent in this run: the mode has been said.
    pub spoken: bool,
    /// When the turn under way began.
    pub busy_since: Option<Instant>,
    /// The time of the frame.
    pub now: Instant,
    pub home: Option<PathBuf>,
}

/// What is done when the first session is there.
#[derive(Debug, Default)]
pub struct StartUp {
    pub prompt: Option<String>,
    pub notices: Vec<Notice>,
}

impl Keys {
    /// Whether a second Esc leads back.
    pub fn is_back_armed(&self, now: Instant) -> bool {
        self.back_armed.is_some_and(|at| now.saturating_duration_since(at) <= AGAIN_WITHIN)
    }
}

impl App {
    pub fn new(setup: &mut Setup, now: Instant) -> App {
        let tui = &setup.options.tui;
        let fold = Fold { lines: setup.options.editor.paste_lines, chars: setup.options.editor.paste_chars };
        let ambiguous = Ambiguous::columns(tui.ambiguous_width);
        let mut notices = std::mem::take(&mut setup.notices);
        let look = look(setup, &mut notices);
        let map = Keymap::with_user(&setup.paths.config.join("keymap.toml"));
        notices.extend(complaint(&map, false).map(warning));
        App {
            session: None,
            transcript: Pane(Transcript::new(tui.into())),
            children: Children::new(now),
            editor: Editor::new(fold, ambiguous),
            history: History::default(),
            open: Open::default(),
            look,
            keys: Keys { map, ..Keys::default() },
            pointer: Pointer::default(),
            offers: Offers::default(),
            widgets: Widgets::default(),
            screen: Screen {
                size: Size::new(0, 0),
                mouse: tui.mouse,
                motion: tui.motion,
                ambiguous,
                links: tui.links && setup.host.follows_links,
                branch: None,
                spoken: false,
                busy_since: None,
                now,
                home: setup.paths.home.clone(),
            },
            start: Some(StartUp { prompt: setup.prompt.take(), notices }),
        }
    }

    /// The transcript that has the keys: a child's, or the session's.
    pub fn seen(&mut self) -> &mut Transcript {
        let focus = self.children.focus.clone();
        self.seen_of(focus.as_deref())
    }

    /// The transcript that has the keys, to look at.
    pub fn seen_now(&self) -> &Transcript {
        let child = self.children.focus.as_deref().and_then(|id| self.children.child(id));
        child.map_or(&self.transcript.0, |child| &child.transcript.0)
    }

    fn is_searching(&self) -> bool {
        self.open.reading.is_some() && self.seen_now().is_searching()
    }

    /// The transcript of a child that is open, else the session's.
    pub fn seen_of(&mut self, child: Option<&str>) -> &mut Transcript {
        match child.and_then(|id| self.children.child_mut(id)) {
            Some(child) => &mut child.transcript.0,
            None => &mut self.transcript.0,
        }
    }

    /// The question that is before the user.
    pub fn dialog(&self) -> Option<&Dialog> {
        self.open.dialogs.front().filter(|_| !self.open.aside)
    }

    /// Whether a turn (or something else that keeps the session busy) is under way.
    pub fn is_running(&self) -> bool {
        self.session.as_ref().is_some_and(|s| s.phase != Phase::Idle)
    }

    /// Who gets the keys.
    pub fn context(&self) -> Context {
        match &self.open {
            Open { dialogs, aside: false, .. } if dialogs.front().is_some_and(|d| d.form.is_some()) => Context::Form,
            Open { dialogs, aside: false, .. } if !dialogs.is_empty() => Context::Dialog,
            Open { picker: Some(_), .. } => Context::Picker,
            Open { reading: Some(Reading::Search(_)), .. } => Context::Search,
            Open { reading: Some(Reading::Blocks), .. } => Context::Transcript,
            Open { reading: Some(Reading::Jobs(_)), .. } => Context::Jobs,
            Open { completion: Some(open), .. } if !open.list.is_empty() => Context::Completion,
            _ => Context::Main,
        }
    }

    /// Says something over the editor.
    pub fn say(&mut self, level: Level, text: impl Into<String>) {
        self.open.hint = Some(Notice { level, text: text.into() });
    }

    /// Whether the terminal's window is large enough for more than a word.
    pub fn fits(&self) -> bool {
        self.screen.size.width >= 20 && self.screen.size.height >= 6
    }

    /// When the screen changes by itself; `last` is the time of the last frame.
    pub fn deadline(&self, last: Instant) -> Option<Instant> {
        let armed = [self.keys.quit_armed, self.keys.back_armed].into_iter().flatten().map(|at| at + AGAIN_WITHIN);
        let ticking = self.is_running() || self.children.is_ticking();
        let moving = self.frame_in().or(ticking.then_some(Duration::from_secs(1)));
        let step = if self.screen.motion { Duration::from_millis(100) } else { Duration::from_secs(1) };
        let frame = moving.map(|wait| last + wait.max(step));
        let search = self.is_searching().then_some(last + SEARCHING);
        armed.chain(frame.filter(|_| self.fits())).chain(search.filter(|_| self.fits())).min()
    }

    /// Whether a second Ctrl-C would quit.
    pub fn is_quit_armed(&self, now: Instant) -> bool {
        self.keys.quit_armed.is_some_and(|at| now.saturating_duration_since(at) <= AGAIN_WITHIN)
    }

    /// The first key of an action in a context, in words.
    pub fn key_in(&self, context: Context, action: Action) -> String {
        self.keys.map.keys_in(context, action).first().map(|keys| spoken(keys)).unwrap_or_default()
    }

    /// The first key of an action, in words, for hints.
    pub fn key_of(&self, action: Action) -> String {
        // `?` on an empty editor is no binding: elsewhere it is typed.
        let usual = if action == Action::Keys { "?" } else { "" };
        self.keys.map.keys_of(action).first().map_or_else(|| usual.to_owned(), |keys| spoken(keys))
    }
}

fn look(setup: &Setup, notices: &mut Vec<Notice>) -> Look {
    let themes = Themes::with_folder(&setup.paths.config.join("themes"));
    let (look, error) = Look::new(themes, &setup.options.theme, setup.depth);
    notices.extend(error.map(|e| warning(e.to_string())));
    look
}

/// What is wrong with the user's keymap, as one notice: all that is wrong whatever the terminal, or what this one cannot
/// do.
pub fn complaint(map: &Keymap, by_terminal: bool) -> Option<String> {
    let found: Vec<_> = map.complaints().iter().filter(|c| c.by_terminal == by_terminal).collect();
    let mut lines: Vec<String> = found.iter().take(TOLD).map(ToString::to_string).collect();
    let more = found.len().saturating_sub(TOLD);
    if more > 0 {
        lines.push(format!("… and {more} more"));
    }
    (!lines.is_empty()).then(|| format!("{}\n/keys lists what is wrong with your keys", lines.join("\n")))
}

fn warning(text: String) -> Notice {
    Notice { level: Level::Warning, text }
}

impl App {
    /// Lays out what the next frame shows. The only thing to be called before a draw.
    pub fn prepare(&mut self, size: Size, now: Instant) {
        self.screen.size = size;
        self.screen.now = now;
        self.editor.prepare(usize::from(size.width.saturating_sub(areas::PROMPT)));
        if let Some(Form::Text(editor)) = self.open.dialogs.front_mut().and_then(|d| d.form.as_mut()) {
            editor.prepare(usize::from(dialog::room(size).width));
        }
        self.prepare_widgets();
        let tiles = children::shown(self, areas::Areas::of(self).transcript);
        let App { children, transcript, look: Look { theme, .. }, .. } = self;
        for Tile { child, body, .. } in tiles {
            let transcript = match child {
                Some(id) => children.child_mut(&id).map(|child| &mut child.transcript.0),
                None => Some(&mut transcript.0),
            };
            lay_out(transcript, body, theme, now);
        }
    }

    /// In what time something on the screen moves by itself.
    fn frame_in(&self) -> Option<Duration> {
        let tiles = children::shown(self, areas::Areas::of(self).transcript);
        let moving = tiles.into_iter().filter_map(|tile| match tile.child {
            Some(id) => self.children.child(&id)?.transcript.frame_in(),
            None => self.transcript.frame_in(),
        });
        moving.min()
    }
}

fn lay_out(transcript: Option<&mut Transcript>, body: Rect, theme: &Theme, now: Instant) {
    if let Some(transcript) = transcript {
        transcript.prepare(body.width, body.height, theme, now);
    }
}
