//! A question: with a few answers, each with a letter (approvals, trust, a locked session), or with a form.

mod changes;

use super::areas::{Areas, place};
use super::form::{Form, Unseen};
use super::line::Line;
use super::welcome::LocalServer;
use super::{App, words::broken};
use crate::backend::{Answer, Approval, Ask, AskKind, OpenMode, Point, SessionTarget, TrustQuestion};
use crate::tui::text::Ambiguous;
use crate::tui::text::sanitize::exact;
use crate::tui::theme::Role;
use changes::changes;
use ratatui::layout::Size;
use serde_json::Value;
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// What a refusal advises whoever has no choices before them.
const LESS_THAN_THE_CHOICES: &str = ": open it read-only, or fork it";

/// Columns of a question's frame, at the most.
pub const WIDTH: u16 = 84;

/// The room inside of a question's frame on a screen of this size.
pub fn room(screen: Size) -> Size {
    let whole = screen.width < 50 || screen.height < 12;
    let width = if whole { screen.width } else { WIDTH.min(screen.width.saturating_sub(4)) };
    Size::new(width.saturating_sub(4), screen.height.saturating_sub(4))
}

/// What is asked about.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    Approval(Arc<Approval>),
    Trust(Arc<TrustQuestion>),
    /// A question of an extension.
    Ask(Arc<Ask>),
    /// Whether what is left behind is summed up, when the session goes to this point.
    Summary(Point),
    /// What matters in the summary.
    Focus(Point),
    /// The API key of a provider.
    Key(String),
    /// The first run: who answers the prompts?
    Welcome(Arc<[LocalServer]>),
    /// A session that another process writes; `opening`: the program was started to open it.
    Locked {
        target: SessionTarget,
        opening: bool,
    },
}

/// What an answer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Approve(Answer),
    OpenAsker,
    Trust(bool),
    /// The answer to a yes-or-no question of an extension.
    Confirm(bool),
    /// No answer.
    Dismiss,
    Open(OpenMode),
    SumUp(SumUp),
    /// Enter an API key.
    LogIn,
    /// Use this server of the question.
    UseServer(usize),
    LookForServers,
    /// Go on with the demo.
    Demo,
    /// Leave things as they are.
    Close,
    Quit,
}

/// Whether a branch that is left is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SumUp {
    No,
    Yes,
    /// Yes, and the user says what matters.
    Focused,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub key: char,
    pub label: Cow<'static, str>,
    pub verdict: Verdict,
}

#[derive(Debug)]
pub struct Dialog {
    pub subject: Subject,
    pub title: String,
    /// Text of others; lines are broken to the width.
    pub body: String,
    /// What a call would change, below the text.
    pub diff: Option<String>,
    /// What an answer brings with it, below that.
    pub note: String,
    /// Rows of all of it that are scrolled away.
    pub skipped: usize,
    pub choices: Vec<Choice>,
    pub marked: usize,
    /// Answered here, instead of by one of the choices.
    pub form: Option<Form>,
    /// What Esc means.
    pub dismissal: Verdict,
    /// Its rows, for this width.
    broken: RefCell<Option<(usize, Rc<[TextRow]>)>>,
}

/// A row of the text, and how it looks.
type TextRow = (Role, String);

pub(super) fn choices(rows: &[(char, &'static str, Verdict)]) -> Vec<Choice> {
    let choice = |(key, label, verdict): &(char, &'static str, Verdict)| Choice {
        key: *key,
        label: Cow::Borrowed(*label),
        verdict: *verdict,
    };
    rows.iter().map(choice).collect()
}

impl Dialog {
    /// A question without anything to answer it with yet.
    pub(super) fn new(subject: Subject, title: String, body: String, dismissal: Verdict) -> Dialog {
        Dialog {
            subject,
            title,
            body,
            diff: None,
            note: String::new(),
            skipped: 0,
            choices: vec![],
            marked: 0,
            form: None,
            dismissal,
            broken: RefCell::default(),
        }
    }

    pub fn approval(approval: &Arc<Approval>) -> Dialog {
        let title = format!("{} asks: {}", approval.asker.name, approval.tool_name);
        Dialog {
            diff: approval.diff.as_deref().map(|diff| exact(diff).into_owned()),
            note: always(&approval.rule),
            choices: choices(&[
                ('y', "yes, once", Verdict::Approve(Answer::Once)),
                ('a', "always, for this session", Verdict::Approve(Answer::Session)),
                ('p', "always, for this project", Verdict::Approve(Answer::Project)),
                ('n', "no", Verdict::Approve(Answer::No)),
                ('o', "open the asker", Verdict::OpenAsker),
            ]),
            marked: 3,
            ..Dialog::new(
                Subject::Approval(approval.clone()),
                title,
                approval_text(approval),
                Verdict::Approve(Answer::NoAndInterrupt),
            )
        }
    }

    /// A question of an extension.
    pub fn ask(ask: &Arc<Ask>, ambiguous: Ambiguous) -> Dialog {
        let (choices, marked) = match &ask.kind {
            AskKind::Confirm { yes, no, default } => {
                let choice = |key, label: &String, yes| Choice {
                    key,
                    label: Cow::Owned(label.clone()),
                    verdict: Verdict::Confirm(yes),
                };
                (vec![choice('y', yes, true), choice('n', no, false)], usize::from(!default))
            }
            _ => (vec![], 0),
        };
        Dialog {
            choices,
            marked,
            form: Form::of(&ask.kind, ambiguous),
            ..Dialog::new(Subject::Ask(ask.clone()), ask.title.clone(), ask.text.clone(), Verdict::Dismiss)
        }
    }

    pub fn trust(question: &Arc<TrustQuestion>) -> Dialog {
        let what = match question.changed {
            true => "The code in this folder has changed since you trusted it",
            false => "This folder brings code or settings of its own",
        };
        let brings = question.brings.iter().map(|b| format!("  {b}\n")).collect::<String>();
        let body = format!(
            "{what}:\n{}\n\n{brings}\nUntil you trust it, its extensions, settings and hooks are not loaded.",
            question.folder.display()
        );
        Dialog {
            choices: choices(&[
                ('t', "trust it", Verdict::Trust(true)),
                ('n', "not now", Verdict::Trust(false)),
                ('q', "quit", Verdict::Quit),
            ]),
            marked: 1,
            ..Dialog::new(Subject::Trust(question.clone()), "trust this folder?".into(), body, Verdict::Trust(false))
        }
    }

    /// `message` is the refusal; it names the process.
    pub fn locked(target: SessionTarget, message: &str, opening: bool) -> Dialog {
        let leave = match opening {
            true => ('l', "leave", Verdict::Quit),
            false => ('l', "leave it", Verdict::Close),
        };
        let body = message.strip_suffix(LESS_THAN_THE_CHOICES).unwrap_or(message).to_owned();
        let subject = Subject::Locked { target, opening };
        Dialog {
            choices: choices(&[
                ('r', "open read-only", Verdict::Open(OpenMode::ReadOnly)),
                ('f', "fork it: go on in a copy", Verdict::Open(OpenMode::Fork)),
                ('t', "take it over: what runs there is stopped", Verdict::Open(OpenMode::TakeOver)),
                leave,
            ]),
            ..Dialog::new(subject, "this session is open elsewhere".into(), body, leave.2)
        }
    }

    /// `messages` are left behind.
    pub fn summary(to: Point, messages: usize) -> Dialog {
        let s = if messages == 1 { "" } else { "s" };
        let body = format!(
            "{messages} message{s} stay on the branch that is left; /back returns to it. With a summary the model \
             knows on the new branch what was tried there."
        );
        Dialog {
            choices: choices(&[
                ('n', "no summary", Verdict::SumUp(SumUp::No)),
                ('y', "yes, sum it up", Verdict::SumUp(SumUp::Yes)),
                ('f', "yes, and say what matters", Verdict::SumUp(SumUp::Focused)),
            ]),
            ..Dialog::new(Subject::Summary(to), "sum up what is left behind?".into(), body, Verdict::Close)
        }
    }

    /// A key is typed in unseen. `note`: what the user has to know first.
    pub fn key(provider: &str, note: &str) -> Dialog {
        let body = format!(
            "{note}Nothing of it is shown. It is checked with the server and kept in the system keyring, else in auth.json."
        );
        let title = format!("API key of {provider}");
        Dialog {
            form: Some(Form::Unseen(Unseen::default())),
            ..Dialog::new(Subject::Key(provider.to_owned()), title, body, Verdict::Close)
        }
    }

    pub fn focus(to: Point) -> Dialog {
        let title = "what matters in the summary?".into();
        Dialog {
            form: Some(Form::Line { line: Line::default(), placeholder: "what was tried and why it failed".into() }),
            ..Dialog::new(Subject::Focus(to), title, String::new(), Verdict::Close)
        }
    }

    /// The text, the diff and the note, clean and broken to the width of the frame, with a row between them.
    pub fn rows(&self, app: &App) -> Rc<[TextRow]> {
        let width = usize::from(room(app.screen.size).width);
        let mut known = self.broken.borrow_mut();
        match &*known {
            Some((at, rows)) if *at == width => rows.clone(),
            _ => known.insert((width, self.broken_to(width, app).into())).1.clone(),
        }
    }

    fn broken_to(&self, width: usize, app: &App) -> Vec<TextRow> {
        let mut rows: Vec<TextRow> = vec![];
        let mut add = |lines: &[(Role, &str)]| {
            if !rows.is_empty() && !lines.is_empty() {
                rows.push((Role::Text, String::new()));
            }
            for (role, line) in lines {
                rows.extend(broken(line, width, app).into_iter().map(|row| (*role, row)));
            }
        };
        add(&plain(Role::Text, &self.body));
        let changes = changes(self.diff.as_deref().unwrap_or_default(), &self.body);
        add(&plain(Role::Text, changes.name.unwrap_or_default()));
        add(&changes.lines);
        add(&plain(Role::Dim, &self.note));
        rows
    }

    fn answers(&self) -> usize {
        self.form.as_ref().map_or(self.choices.len(), Form::height)
    }

    /// Rows that it wants for a text of so many rows, with its frame.
    pub fn height(&self, rows: usize) -> u16 {
        u16::try_from(rows + self.answers() + 3).unwrap_or(u16::MAX)
    }

    /// Rows that the answers leave to the text, of those inside of the frame.
    pub fn room_of_text(&self, inside: u16) -> usize {
        let inside = usize::from(inside);
        let answers = self.choices_seen(inside);
        match self.form {
            Some(_) => inside.saturating_sub(self.answers() + 1),
            None => inside.saturating_sub(answers + usize::from(answers == self.choices.len())),
        }
    }

    /// How many choices there is room for at a time: what is asked must be seen, too, and takes half where it is narrow.
    pub fn choices_seen(&self, inside: usize) -> usize {
        let all = self.choices.len();
        if all + 2 <= inside { all } else { (inside / 2).clamp(1, all.max(1)) }
    }

    /// Rows of a text of so many that are seen at a time.
    pub fn page(&self, rows: usize, app: &App) -> usize {
        let area = place(Areas::of(app).free(app.screen.size), WIDTH, self.height(rows));
        let room = self.room_of_text(area.height.saturating_sub(2));
        // The last row says that there is more.
        if rows <= room { room } else { room.saturating_sub(1) }.max(1)
    }

    pub fn mark_next(&mut self, by: isize) {
        let count = self.choices.len() as isize;
        self.marked = (self.marked as isize + by).rem_euclid(count.max(1)) as usize;
    }

    /// By its letter, or by its number from 1.
    pub fn verdict_of(&self, key: char) -> Option<Verdict> {
        let by_digit = key.to_digit(10).and_then(|n| self.choices.get((n as usize).checked_sub(1)?));
        self.choices.iter().find(|c| c.key == key.to_ascii_lowercase()).or(by_digit).map(|c| c.verdict)
    }

    pub fn marked_verdict(&self) -> Verdict {
        self.choices.get(self.marked).map_or(self.dismissal, |c| c.verdict)
    }
}

/// The lines of a text.
fn plain(role: Role, text: &str) -> Vec<(Role, &str)> {
    if text.is_empty() { vec![] } else { text.trim_end().split('\n').map(|line| (role, line)).collect() }
}

/// Why it asks, and what: the command in full, or the input where no diff was made of it.
fn approval_text(approval: &Approval) -> String {
    // A diff that came with the call says what the call says, and no more: the rest of the input tells as well.
    let claimed =
        approval.diff.is_some() && approval.input.get("diff").and_then(Value::as_str) == approval.diff.as_deref();
    let what = match (&approval.command, &approval.diff) {
        (Some(command), _) => format!("\n\n{}", exact(command)),
        (None, Some(_)) if claimed => format!("\n\n{}", input_text(&without_diff(&approval.input))),
        (None, Some(_)) => String::new(),
        (None, None) => format!("\n\n{}", input_text(&approval.input)),
    };
    format!("{}{what}", exact(&approval.reason))
}

fn without_diff(input: &Value) -> Value {
    let mut rest = input.clone();
    if let Some(fields) = rest.as_object_mut() {
        fields.remove("diff");
    }
    rest
}

fn always(rule: &str) -> String {
    format!("\"always\" would allow {}", exact(rule))
}

fn input_text(input: &Value) -> String {
    match input {
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| format!("{}: {}\n", exact(name), exact(&value.to_string()));
            fields.iter().map(field).collect()
        }
        other => exact(&other.to_string()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_digits() {
        let refusal = "held by 4: open it read-only, or fork it";
        let dialog = Dialog::locked(SessionTarget::Id("x".into()), refusal, true);
        assert_eq!(dialog.body, "held by 4");
        assert_eq!(dialog.verdict_of('F'), Some(Verdict::Open(OpenMode::Fork)));
        assert_eq!(dialog.verdict_of('1'), Some(Verdict::Open(OpenMode::ReadOnly)));
        assert_eq!(dialog.verdict_of('T'), Some(Verdict::Open(OpenMode::TakeOver)));
        assert_eq!(dialog.verdict_of('5'), None);
        assert_eq!(dialog.verdict_of('0'), None);
        assert_eq!(dialog.dismissal, Verdict::Quit);
    }
}
