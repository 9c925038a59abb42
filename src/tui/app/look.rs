//! Which theme is worn, and what decides it.

use crate::backend::ThemeDecl;
use crate::tui::theme::{ColorDepth, Theme, ThemeError, Themes};

/// `auto` is dark until the terminal says that its background is light.
const AUTO: &str = "auto";

#[derive(Debug)]
pub struct Look {
    pub theme: Theme,
    themes: Themes,
    depth: ColorDepth,
    /// The theme's name, or `auto`.
    choice: String,
    light: bool,
    /// The theme of the settings, when there is none of that name (yet): an extension may bring it.
    missing: Option<String>,
    /// Extensions have not brought theirs yet.
    first: bool,
}

impl Look {
    /// A theme that cannot be loaded is an error beside a look that works. One that isn't there at all is missed until
    /// extensions have brought theirs.
    pub fn new(themes: Themes, choice: &str, depth: ColorDepth) -> (Look, Option<ThemeError>) {
        let dark = |themes: &Themes| themes.load("dark", depth);
        let own = dark(&themes);
        let worn = own.is_ok();
        let theme = own.or_else(|_| dark(&Themes::shipped())).expect("the dark theme ships and is sound");
        let mut look = Look { theme, themes, depth, choice: AUTO.into(), light: false, missing: None, first: true };
        if worn && choice == AUTO {
            return (look, None);
        }
        match look.wear(choice) {
            Err(_) if choice != AUTO && !look.names().iter().any(|name| name == choice) => {
                look.missing = Some(choice.to_owned());
                (look, None)
            }
            worn => (look, worn.err()),
        }
    }

    pub fn is_auto(&self) -> bool {
        self.choice == AUTO
    }

    pub fn choice(&self) -> &str {
        &self.choice
    }

    /// Extensions have brought their themes, in the place of those they brought before. The theme of the settings is
    /// worn if it is among them, else it is an error, once; one that is worn and gone gives way to `auto`.
    pub fn bring(&mut self, themes: &[ThemeDecl]) -> Option<ThemeError> {
        self.themes.bring(themes);
        let first = std::mem::replace(&mut self.first, false);
        if let Some(missing) = self.missing.take() {
            return self.wear(&missing).err();
        }
        if first && themes.is_empty() {
            return None;
        }
        let choice = self.choice.clone();
        let error = self.wear(&choice).err();
        if error.is_some() {
            // Both themes behind `auto` ship.
            let _ = self.wear(AUTO);
        }
        error
    }

    /// The extension that brings a theme, if one does.
    pub fn origin(&self, name: &str) -> Option<String> {
        self.themes.origin(name).map(str::to_owned)
    }

    /// `auto` first.
    pub fn names(&self) -> Vec<String> {
        let mut names = vec![AUTO.to_owned()];
        names.extend(self.themes.names());
        names
    }

    pub fn wear(&mut self, choice: &str) -> Result<(), ThemeError> {
        let name = match choice {
            AUTO if self.light => "light",
            AUTO => "dark",
            name => name,
        };
        self.theme = self.themes.load(name, self.depth)?;
        self.choice = choice.to_owned();
        Ok(())
    }

    /// The terminal has told its background.
    pub fn see_background(&mut self, red: u8, green: u8, blue: u8) {
        // Perceived brightness (ITU-R BT.601), in thousandths of 255.
        let brightness = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
        let was_light = std::mem::replace(&mut self.light, brightness > 127_500);
        if self.is_auto() && self.light != was_light {
            // Both themes ship; a user's broken file of that name leaves the theme as it is.
            let _ = self.wear(AUTO);
        }
    }
}
