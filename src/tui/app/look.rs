//! Which theme is worn, and what decides it.

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
}

impl Look {
    /// A theme that cannot be loaded is an error beside a look that works.
    pub fn new(themes: Themes, choice: &str, depth: ColorDepth) -> (Look, Option<ThemeError>) {
        let dark = |themes: &Themes| themes.load("dark", depth);
        let theme = dark(&themes).or_else(|_| dark(&Themes::shipped())).expect("the dark theme ships and is sound");
        let mut look = Look { theme, themes, depth, choice: AUTO.into(), light: false };
        let error = look.wear(choice).err();
        (look, error)
    }

    pub fn is_auto(&self) -> bool {
        self.choice == AUTO
    }

    pub fn choice(&self) -> &str {
        &self.choice
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
        self.light = brightness > 127_500;
        if self.is_auto() {
            // Both themes ship; a user's broken file of that name leaves the theme as it is.
            let _ = self.wear(AUTO);
        }
    }
}
