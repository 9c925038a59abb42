//! Answers to questions.

use super::{children, quietly, tree, welcome};
use crate::backend::{Command, Response};
use crate::tui::action::Action;
use crate::tui::app::dialog::{Dialog, Subject, Verdict};
use crate::tui::app::{App, ReadOnly};
use crate::tui::effect::{Effect, Effects, Purpose, change};
use std::time::{Duration, Instant};

/// A question that comes up while one types must not take the next letter for an answer.
const STILL_TYPING: Duration = Duration::from_millis(300);
/// Exit code: session locked.
const LOCKED: i32 = 5;

/// Whether what is typed is still meant for the draft.
pub fn is_still_typing(app: &mut App, now: Instant) -> bool {
    let typing = app.keys.typed.is_some_and(|at| now.saturating_duration_since(at) < STILL_TYPING);
    if typing {
        app.keys.typed = Some(now);
    }
    typing
}

pub fn letter(app: &mut App, key: char, now: Instant) -> Effects {
    if is_still_typing(app, now) {
        return vec![];
    }
    match app.open.dialogs.front().and_then(|d| d.verdict_of(key)) {
        Some(verdict) => answer(app, verdict),
        None => vec![],
    }
}

pub fn act(app: &mut App, action: Action) -> Effects {
    let Some(dialog) = app.open.dialogs.front_mut() else { return vec![] };
    match action {
        Action::NextChoice => quietly(|| dialog.mark_next(1)),
        Action::PreviousChoice => quietly(|| dialog.mark_next(-1)),
        Action::Choose => {
            let verdict = dialog.marked_verdict();
            answer(app, verdict)
        }
        Action::Dismiss => {
            let verdict = dialog.dismissal;
            answer(app, verdict)
        }
        _ => vec![],
    }
}

/// Moves in a text that is longer than its frame.
pub fn scroll(app: &mut App, action: Action) -> Effects {
    let measured = app.open.dialogs.front().map(|dialog| {
        let rows = dialog.rows(app).len();
        (rows, dialog.page(rows, app))
    });
    let Some((rows, page)) = measured else { return vec![] };
    let last = rows.saturating_sub(page);
    let Some(dialog) = app.open.dialogs.front_mut() else { return vec![] };
    dialog.skipped = match action {
        Action::PageUp => dialog.skipped.saturating_sub(page),
        Action::PageDown => (dialog.skipped + page).min(last),
        Action::ScrollUp => dialog.skipped.saturating_sub(1),
        Action::ScrollDown => (dialog.skipped + 1).min(last),
        Action::Top => 0,
        Action::Bottom => last,
        _ => dialog.skipped,
    };
    quietly(|| ())
}

fn answer(app: &mut App, verdict: Verdict) -> Effects {
    if verdict == Verdict::OpenAsker {
        let asker = app.open.dialogs.front().and_then(|d| match &d.subject {
            Subject::Approval(approval) => approval.asker.job_id.clone(),
            _ => None,
        });
        return children::open_asker(app, asker.as_deref());
    }
    let Some(Dialog { subject, .. }) = app.open.dialogs.pop_front() else { return vec![] };
    match (subject, verdict) {
        (Subject::Locked { opening: true, .. }, Verdict::Quit) => vec![Effect::Quit(LOCKED)],
        (_, Verdict::Quit) => vec![Effect::Quit(0)],
        (Subject::Approval(approval), Verdict::Approve(answer)) => {
            change(Command::Approve { approval_id: approval.id.clone(), answer })
        }
        (Subject::Ask(ask), verdict) => {
            let response = match verdict {
                Verdict::Confirm(true) => Response::Yes,
                Verdict::Confirm(false) => Response::No,
                _ => Response::Dismissed,
            };
            change(Command::Answer { ask_id: ask.id.clone(), response })
        }
        (Subject::Trust(_), Verdict::Trust(trust)) => {
            if trust {
                app.offers.trust = None;
            }
            change(Command::Trust { trust })
        }
        (Subject::Locked { target, .. }, Verdict::Open(mode)) => {
            app.open.read_only = ReadOnly::Held;
            vec![Effect::Send(Command::Open { target: target.clone(), mode }, Purpose::Open(target))]
        }
        (Subject::Welcome(servers), verdict) => welcome::answer(app, &servers, verdict),
        (Subject::Summary(to), Verdict::SumUp(sum_up)) => tree::sum_up(app, to, sum_up),
        _ => vec![],
    }
}
