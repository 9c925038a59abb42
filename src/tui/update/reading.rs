//! Searching the transcript, and going through it block by block.

use super::quietly;
use crate::backend::Level;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::line::Line;
use crate::tui::app::reading::Reading;
use crate::tui::effect::{Effect, Effects};

/// Begins a search from where the transcript is.
pub fn search(app: &mut App) -> Effects {
    app.open.completion = None;
    app.seen().stop_reading();
    quietly(|| app.open.reading = Some(Reading::Search(Line::default())))
}

/// The keys go to the transcript.
pub fn blocks(app: &mut App) -> Effects {
    app.open.completion = None;
    app.seen().enter_blocks();
    quietly(|| app.open.reading = Some(Reading::Blocks))
}

/// Back to the editor; the view stays where it is.
pub fn leave(app: &mut App) -> Effects {
    if app.open.reading.take().is_some() {
        app.seen().stop_reading();
    }
    vec![]
}

pub fn act(app: &mut App, action: Action) -> Effects {
    let pane = app.seen();
    match action {
        Action::NextBlock => pane.step_block(true),
        Action::PreviousBlock => pane.step_block(false),
        Action::NextMatch => pane.find_next(true),
        Action::PreviousMatch => pane.find_next(false),
        Action::ToggleBlock => _ = pane.toggle_marked(),
        Action::CopyBlock => return copy(app),
        _ => {}
    }
    vec![]
}

fn copy(app: &mut App) -> Effects {
    match app.seen().marked_text() {
        Some(text) => {
            app.say(Level::Info, "copied the block");
            vec![Effect::Copy(text)]
        }
        None => quietly(|| app.say(Level::Info, "there is no text in this block")),
    }
}

/// A key of the line in which the search is typed.
pub fn type_by(app: &mut App, action: Action) -> Effects {
    match action {
        Action::Accept => accept(app),
        _ => edit(app, |line| line.act(action)),
    }
}

/// Typed or pasted text. An Enter at its end is one, however fast it came.
pub fn insert(app: &mut App, text: &str) -> Effects {
    let (words, entered) = text.strip_suffix('\n').map_or((text, false), |words| (words, true));
    edit(app, |line| line.insert(words));
    if entered { accept(app) } else { vec![] }
}

fn edit(app: &mut App, by: impl FnOnce(&mut Line)) -> Effects {
    let Some(Reading::Search(line)) = &mut app.open.reading else { return vec![] };
    by(line);
    let query = line.text().to_owned();
    quietly(|| app.seen().find(&query))
}

/// The match is found: from here on letters are keys. A search for nothing ends.
fn accept(app: &mut App) -> Effects {
    match app.seen().query() {
        Some(_) => blocks(app),
        None => leave(app),
    }
}
