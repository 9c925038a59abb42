//! The user's own editor, for the draft and for the transcript.

use crate::backend::Level;
use crate::tui::app::App;
use crate::tui::effect::{EditOf, Effect, Effects, Errand};

/// The draft, with its pastes whole.
pub fn draft(app: &mut App) -> Effects {
    vec![Effect::Edit(Errand { text: app.editor.draft().expanded(), of: EditOf::Draft })]
}

/// The transcript that has the keys, to look at.
pub fn transcript(app: &mut App) -> Effects {
    vec![Effect::Edit(Errand { text: app.seen().plain(), of: EditOf::Transcript })]
}

/// The editor has ended. One that failed leaves the draft as it was.
pub fn edited(app: &mut App, errand: &Errand, result: Result<String, String>) {
    match (errand.of, result) {
        (_, Err(why)) => app.say(Level::Error, why),
        (EditOf::Draft, Ok(text)) if text != errand.text => {
            app.history.stop();
            app.editor.rewrite(text.strip_suffix('\n').unwrap_or(&text));
        }
        _ => {}
    }
}
