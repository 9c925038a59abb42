//! Questions in plain mode: those of the full-screen program's dialogs, and numbered lists. A line answers.
//!
//! An empty line never answers, and what is none of the answers is asked again: text that was on its way when a question
//! came up must not decide anything.

use super::input::Unseen;
use super::reply::Purpose;
use super::voice::Voice;
use crate::backend::{Answer, AskKind, Command, Response};
use crate::tui::app::dialog::{Dialog, Subject, Verdict};
use crate::tui::app::form::Form;
use std::borrow::Cow;
use std::io;

/// A row of a list that can be chosen.
pub struct Row {
    pub words: String,
    pub does: Does,
}

pub enum Does {
    Send(Command, Purpose),
    AskKey(String),
}

pub enum Question {
    Dialog {
        dialog: Box<Dialog>,
        /// Lines of an answer of several.
        typed: Vec<String>,
        /// While a key is typed.
        unseen: Option<Unseen>,
    },
    List {
        title: String,
        rows: Vec<Row>,
    },
}

/// What a line means to a question.
pub enum Answered {
    Verdict(Subject, Verdict),
    Response(String, Response),
    Key(String, String),
    Row(Does),
    /// The answer goes on, or was none; words say which would be one.
    NotYet(Option<String>),
    /// Nothing was chosen.
    Left,
}

impl From<Dialog> for Question {
    fn from(dialog: Dialog) -> Self {
        Question::Dialog { dialog: Box::new(dialog), typed: vec![], unseen: None }
    }
}

impl Question {
    /// Asks it.
    pub fn put(&mut self, voice: &mut Voice) -> io::Result<()> {
        match self {
            Question::List { title, rows } => {
                voice.say("choose", title)?;
                rows.iter().enumerate().try_for_each(|(at, row)| voice.add(&format!("{}. {}", at + 1, row.words)))
            }
            Question::Dialog { dialog, unseen, .. } => {
                if matches!(dialog.form, Some(Form::Unseen(_))) {
                    *unseen = Unseen::begin();
                }
                voice.say("question", &dialog.title)?;
                let diff = dialog.diff.as_deref().unwrap_or_default();
                for text in [&dialog.body, diff, &dialog.note].into_iter().filter(|text| !text.trim().is_empty()) {
                    voice.add(text)?;
                }
                for (letter, label, _) in choices(dialog) {
                    voice.add(&format!("{letter}: {label}"))?;
                }
                if let Subject::Ask(ask) = &dialog.subject {
                    put_ask(&ask.kind, voice)?;
                }
                Ok(())
            }
        }
    }

    /// What stands before the answer.
    pub fn prompt(&self) -> String {
        let Question::Dialog { dialog, .. } = self else { return "number, or an empty line for none: ".into() };
        match (&dialog.subject, &dialog.form) {
            (Subject::Ask(ask), Some(_)) => match &ask.kind {
                AskKind::Select { multi: true, .. } => "numbers (/skip gives no answer): ".into(),
                AskKind::Select { .. } => "number (/skip gives no answer): ".into(),
                AskKind::Edit { .. } => ". ".into(),
                _ => "answer (/skip gives none): ".into(),
            },
            (_, Some(Form::Unseen(_))) => "key, which is not shown (an empty line: none): ".into(),
            (_, Some(_)) => "answer: ".into(),
            (_, None) => format!("answer ({}): ", letters(dialog)),
        }
    }

    pub fn answer(&mut self, line: &str) -> Answered {
        let line = line.trim();
        match self {
            Question::List { .. } if line.is_empty() => Answered::Left,
            Question::List { rows, .. } => match number(line, rows.len()) {
                Some(at) => Answered::Row(rows.swap_remove(at).does),
                None => Answered::NotYet(Some(format!("a number from 1 to {}", rows.len()))),
            },
            Question::Dialog { dialog, typed, .. } => answer(dialog, typed, line),
        }
    }

    /// Nobody wants to answer.
    pub fn skip(&self) -> Answered {
        let Question::Dialog { dialog, .. } = self else { return Answered::Left };
        match &dialog.subject {
            Subject::Ask(ask) => Answered::Response(ask.id.clone(), Response::Dismissed),
            subject @ Subject::Approval(_) => Answered::Verdict(subject.clone(), Verdict::Approve(Answer::No)),
            Subject::Key(_) => Answered::Left,
            subject => Answered::Verdict(subject.clone(), dialog.dismissal),
        }
    }

    /// Asked because the user wanted something: nobody else waits for the answer.
    pub fn is_of_the_user(&self) -> bool {
        matches!(self, Question::List { .. }) || self.is_of(|subject| matches!(subject, Subject::Key(_)))
    }

    pub fn is_of(&self, right: impl Fn(&Subject) -> bool) -> bool {
        matches!(self, Question::Dialog { dialog, .. } if right(&dialog.subject))
    }
}

fn put_ask(kind: &AskKind, voice: &mut Voice) -> io::Result<()> {
    let given = |text: &str| format!("an empty line gives: {text}");
    match kind {
        AskKind::Confirm { .. } => Ok(()),
        AskKind::Select { items, .. } => items.iter().enumerate().try_for_each(|(at, item)| {
            let detail = if item.detail.is_empty() { String::new() } else { format!(": {}", item.detail) };
            voice.add(&format!("{}. {}{detail}", at + 1, item.label))
        }),
        AskKind::Input { default, .. } if !default.is_empty() => voice.add(&given(default)),
        AskKind::Input { placeholder, .. } if !placeholder.is_empty() => voice.add(&format!("such as: {placeholder}")),
        AskKind::Input { .. } => Ok(()),
        AskKind::Edit { default } => {
            voice.add("several lines; a line with a dot alone ends them, /skip gives no answer")?;
            if default.is_empty() {
                Ok(())
            } else {
                voice.add(&format!("a dot at once leaves it as it is:\n{default}"))
            }
        }
    }
}

/// Letters with what they mean. What only opens something on a screen is not among them.
fn choices(dialog: &Dialog) -> Vec<(char, Cow<'static, str>, Verdict)> {
    let shown = dialog.choices.iter().filter(|choice| choice.verdict != Verdict::OpenAsker);
    let mut choices: Vec<_> = shown.map(|c| (c.key, c.label.clone(), c.verdict)).collect();
    if matches!(dialog.subject, Subject::Approval(_)) {
        choices.push(('x', "no, and interrupt the turn".into(), Verdict::Approve(Answer::NoAndInterrupt)));
    }
    choices
}

fn letters(dialog: &Dialog) -> String {
    let letters: Vec<String> = choices(dialog).into_iter().map(|(letter, ..)| letter.to_string()).collect();
    letters.join(" ")
}

fn answer(dialog: &Dialog, typed: &mut Vec<String>, line: &str) -> Answered {
    match (&dialog.subject, &dialog.form) {
        (Subject::Key(_), _) if line.is_empty() => Answered::Left,
        (Subject::Key(provider), _) => Answered::Key(provider.clone(), line.to_owned()),
        (Subject::Ask(ask), Some(_)) => match response(&ask.kind, typed, line) {
            Ok(Some(response)) => Answered::Response(ask.id.clone(), response),
            Ok(None) => Answered::NotYet(None),
            Err(wanted) => Answered::NotYet(Some(wanted)),
        },
        (subject, _) => {
            let choices = choices(dialog);
            let verdict = choices.iter().find(|(letter, ..)| is_letter(line, *letter)).map(|(_, _, verdict)| *verdict);
            match verdict.or_else(|| number(line, choices.len()).map(|at| choices[at].2)) {
                Some(verdict) => Answered::Verdict(subject.clone(), verdict),
                None => Answered::NotYet(Some(format!("one of {}, or its number", letters(dialog)))),
            }
        }
    }
}

/// The letter itself, or the word where everybody would type it.
fn is_letter(line: &str, letter: char) -> bool {
    let line = line.to_lowercase();
    let word = match letter {
        'y' => "yes",
        'n' => "no",
        _ => "",
    };
    line == letter.to_string() || (line == word && !word.is_empty())
}

/// From 1 to `of`, as a place from 0.
fn number(word: &str, of: usize) -> Option<usize> {
    word.trim_end_matches('.').parse::<usize>().ok()?.checked_sub(1).filter(|at| *at < of)
}

/// The answer to a question of an extension; none where it goes on, or words for what would be one.
fn response(kind: &AskKind, typed: &mut Vec<String>, line: &str) -> Result<Option<Response>, String> {
    let response = match kind {
        AskKind::Confirm { .. } => return Ok(None),
        AskKind::Select { items, multi, .. } => {
            let words: Vec<&str> = line.split([',', ' ']).filter(|w| !w.is_empty()).collect();
            let places: Option<Vec<usize>> = words.iter().map(|word| number(word, items.len())).collect();
            match places {
                Some(places) if *multi || places.len() == 1 => Response::Chosen(places),
                _ if *multi => return Err(format!("numbers from 1 to {}, with blanks between them", items.len())),
                _ => return Err(format!("a number from 1 to {}", items.len())),
            }
        }
        AskKind::Input { default, .. } if line.is_empty() => Response::Text(default.clone()),
        AskKind::Input { .. } => Response::Text(line.to_owned()),
        AskKind::Edit { .. } if line != "." => {
            typed.push(line.to_owned());
            return Ok(None);
        }
        AskKind::Edit { default } if typed.is_empty() => Response::Text(default.clone()),
        AskKind::Edit { .. } => Response::Text(typed.join("\n")),
    };
    Ok(Some(response))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{AskItem, SessionTarget};

    fn respond(kind: &AskKind, lines: &[&str]) -> Result<Option<Response>, String> {
        let mut typed = vec![];
        lines.iter().map(|line| response(kind, &mut typed, line)).last().expect("a line")
    }

    #[test]
    fn letters_words_and_numbers_answer_and_nothing_else() {
        let mut question: Question = Dialog::locked(SessionTarget::Id("x".into()), "held", false).into();
        let verdict = |answered| if let Answered::Verdict(_, verdict) = answered { Some(verdict) } else { None };
        assert!(verdict(question.answer("R")).is_some() && verdict(question.answer("2")).is_some());
        for line in ["", "0", "5", "read it please", "rr"] {
            assert!(matches!(question.answer(line), Answered::NotYet(Some(_))), "{line:?}");
        }
        assert!(is_letter("Yes", 'y') && is_letter("no", 'n') && !is_letter("yellow", 'y') && !is_letter("", 'a'));
    }

    #[test]
    fn each_kind_of_question_has_its_answers() {
        let items: Vec<_> = ["a", "b", "c"].map(|l| AskItem { label: l.into(), detail: String::new() }).into();
        let one = AskKind::Select { items: items.clone(), multi: false, default: vec![] };
        let several = AskKind::Select { items, multi: true, default: vec![] };
        assert_eq!(respond(&one, &["2"]), Ok(Some(Response::Chosen(vec![1]))));
        assert!(respond(&one, &["1 2"]).is_err() && respond(&one, &["4"]).is_err() && respond(&one, &[""]).is_err());
        assert_eq!(respond(&several, &["1, 3"]), Ok(Some(Response::Chosen(vec![0, 2]))));
        assert_eq!(respond(&several, &[""]), Ok(Some(Response::Chosen(vec![]))));
        let input = AskKind::Input { default: "d".into(), placeholder: String::new() };
        assert_eq!(respond(&input, &[""]), Ok(Some(Response::Text("d".into()))));
        let edit = AskKind::Edit { default: "d".into() };
        assert_eq!(respond(&edit, &["."]), Ok(Some(Response::Text("d".into()))));
        assert_eq!(respond(&edit, &["a", "", "b", "."]), Ok(Some(Response::Text("a\n\nb".into()))));
        assert_eq!(respond(&edit, &["a"]), Ok(None));
    }
}
