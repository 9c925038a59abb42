//! Pictures that go with a prompt: pasted, dropped, from the clipboard.

use super::{complete, quietly};
use crate::backend::Level;
use crate::conversation::Part;
use crate::tui::app::App;
use crate::tui::app::editor::{Draft, dropped};
use crate::tui::effect::{Effect, Effects};

/// What a paste does that is nothing but paths of pictures; none for any other.
pub fn dropped_in(app: &App, pasted: &str) -> Option<Effects> {
    let paths = dropped::pictures(pasted, app.screen.home.as_deref())?;
    Some(vec![Effect::ReadImages { paths, pasted: pasted.to_owned() }])
}

/// Pictures were read, or what was pasted is no picture after all: then it is text, as it was.
pub fn came(app: &mut App, pasted: Option<String>, images: Result<Vec<Part>, String>) -> Effects {
    app.history.stop();
    match (images, pasted) {
        (Ok(images), _) => images.into_iter().for_each(|image| {
            app.editor.attach(image);
            app.editor.insert(" ");
        }),
        (Err(why), Some(text)) => {
            app.editor.paste(&text);
            app.say(Level::Info, why);
        }
        (Err(why), None) => return quietly(|| app.say(Level::Warning, why)),
    }
    complete::refresh(app)
}

/// Pictures go with a prompt alone. A draft that is to become something else stays where it is, and it is said why.
pub fn are_in_the_way(app: &mut App, draft: &Draft) -> bool {
    let any = !draft.images().is_empty();
    if any {
        app.say(Level::Warning, "a picture goes with a prompt of its own: send it when the turn has ended");
    }
    any
}
