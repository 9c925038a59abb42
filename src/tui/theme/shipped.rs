//! The themes in the binary. A test says that the list is that of the folder `themes/`.

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        /// Their names, the two defaults first.
        pub(super) const NAMES: &[&str] = &[$($name),*];

        pub(super) fn text(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some(include_str!(concat!("../../../themes/", $name, ".toml"))),)*
                _ => None,
            }
        }
    };
}

shipped!(
    "dark",
    "light",
    "ansi",
    "high-contrast",
    "catppuccin-latte",
    "catppuccin-mocha",
    "dracula",
    "gruvbox-dark",
    "gruvbox-light",
    "nord",
    "solarized-dark",
    "solarized-light",
    "tokyo-night",
);
