//! Keys, text and pastes to whoever has the focus.

use super::{act, complete, dialog, form, images, keys as keys_of, mouse, pick, quietly, reading};
use crate::backend::Level;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::effect::{Effect, Effects};
use crate::tui::input::{Answer, Input, Key, KeyCode};
use crate::tui::keymap::{Context, Lookup};
use std::time::Instant;

pub fn take(app: &mut App, input: Input, now: Instant) -> Effects {
    match input {
        Input::Key(key) => press(app, key, now),
        Input::Text(text) => insert(app, &text, false, now),
        Input::Paste(text) => insert(app, &text, true, now),
        Input::Mouse(moved) => mouse::take(app, moved, now),
        Input::Focus(true) if app.look.is_auto() => vec![Effect::AskBackground],
        Input::Focus(_) => vec![],
        Input::Answer(Answer::Background(r, g, b)) => quietly(|| app.look.see_background(r, g, b)),
        Input::Answer(Answer::KeyboardFlags(_)) => {
            app.keys.protocol = true;
            vec![Effect::UseKeyboardProtocol]
        }
    }
}

fn press(app: &mut App, key: Key, now: Instant) -> Effects {
    if app.open.hint.as_ref().is_some_and(|h| h.level == Level::Info) {
        app.open.hint = None;
    }
    mouse::unselect(app);
    keys_of::first_press(app);
    if let (Context::Dialog, Some(c), []) = (app.context(), key.typed(), app.keys.prefix.as_slice()) {
        return dialog::letter(app, c, now);
    }
    let mut keys = std::mem::take(&mut app.keys.prefix);
    keys.push(key);
    let found = app.keys.map.look_up(app.context(), &keys);
    if found != Lookup::Action(Action::Cancel) {
        app.keys.quit_armed = None;
    }
    if found != Lookup::Action(Action::Escape) {
        app.keys.back_armed = None;
    }
    match found {
        Lookup::Action(action) => act::act(app, action, now),
        Lookup::Extra(at) => keys_of::press(app, at, now),
        Lookup::Prefix => quietly(|| app.keys.prefix = keys),
        Lookup::Nothing if keys.len() > 1 => vec![],
        Lookup::Nothing => key.typed().map(|c| typed(app, c, now)).unwrap_or_default(),
    }
}

fn typed(app: &mut App, c: char, now: Instant) -> Effects {
    match (c, app.context()) {
        ('?', Context::Main) if app.editor.is_empty() => act::act(app, Action::Keys, now),
        ('?', Context::Transcript | Context::Jobs) => act::act(app, Action::Keys, now),
        (_, Context::Transcript | Context::Jobs) => vec![],
        _ => insert(app, c.encode_utf8(&mut [0; 4]), false, now),
    }
}

/// Text into the picker's line or the draft. A question takes none: text that was thrown at the program is no answer.
fn insert(app: &mut App, text: &str, pasted: bool, now: Instant) -> Effects {
    match app.context() {
        Context::Dialog => vec![],
        Context::Form => form::insert(app, text, pasted, now),
        // An Enter right behind a letter takes the file that is marked. It never sends.
        Context::Completion if text == "\n" && complete::is_for_files(app) => act::act(app, Action::Accept, now),
        Context::Search => reading::insert(app, text),
        here @ (Context::Transcript | Context::Jobs) if !pasted => into_pane(app, here, text, now),
        Context::Picker if pasted => pick::edit(app, |line| line.insert(text)),
        Context::Picker => into_picker(app, text, now),
        _ => {
            reading::leave(app);
            if let Some(effects) = images::dropped_in(app, text).filter(|_| pasted) {
                return effects;
            }
            app.keys.typed = Some(now);
            app.history.stop();
            if pasted {
                app.editor.paste(text)
            } else {
                app.editor.insert(text)
            }
            complete::refresh(app)
        }
    }
}

/// Letters are keys there, however fast they came; what follows the one that leaves is a draft.
fn into_pane(app: &mut App, here: Context, text: &str, now: Instant) -> Effects {
    let mut effects = vec![];
    for (at, c) in text.char_indices() {
        if app.context() != here {
            effects.extend(insert(app, &text[at..], false, now));
            break;
        }
        let code = if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) };
        effects.extend(press(app, Key::plain(code), now));
    }
    effects
}

/// A picker is no draft: an Enter at the end means what it always means there, however fast it came.
fn into_picker(app: &mut App, text: &str, now: Instant) -> Effects {
    let (words, entered) = text.strip_suffix('\n').map_or((text, false), |words| (words, true));
    let mut effects = pick::edit(app, |line| line.insert(words));
    if entered {
        effects.extend(act::act(app, Action::Accept, now));
    }
    effects
}
