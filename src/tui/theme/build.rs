//! From files to a theme: the chain of `inherits`, the palette, the colours of the terminal.

use super::file::{self, File, Placed, Spec};
use super::{ColorDepth, Role, Theme, ThemeError, color, shipped};
use ratatui::style::{Color, Modifier, Style};
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Gives the file's name and text for (theme, may it be the user's own).
pub(super) type Find<'a> = &'a dyn Fn(&str, bool) -> Option<(String, Result<String, String>)>;

/// Longest chain of `inherits`; longer ones are circles.
const DEEPEST: usize = 16;

pub(super) fn build(name: &str, depth: ColorDepth, find: Find) -> Result<Theme, ThemeError> {
    let mut palette = HashMap::new();
    let mut specs: HashMap<Role, Placed<Spec>> = HashMap::new();
    for file in chain(name, find)?.into_iter().rev() {
        palette.extend(file.palette);
        specs.extend(file.styles);
    }
    let style = |role: &Role| match specs.get(role) {
        Some(spec) => resolve(spec, *role, &palette, depth),
        None => Ok(Style::new()),
    };
    let styles = Role::ALL.iter().map(style).collect::<Result<Vec<_>, _>>()?;
    let mut hasher = DefaultHasher::new();
    (&styles, depth).hash(&mut hasher);
    Ok(Theme { name: name.to_owned(), id: hasher.finish(), depth, styles })
}

/// The file and those it inherits from, the nearest first.
fn chain(name: &str, find: Find) -> Result<Vec<File>, ThemeError> {
    let mut files = vec![];
    let mut wanted = Some((name.to_owned(), true, None::<Placed<String>>));
    while let Some((name, own, by)) = wanted.take() {
        let Some((path, text)) = find(&name, own) else {
            let what = format!("there is no theme `{name}`; the nearest is `{}`", nearest(&name));
            return Err(
                by.map_or(ThemeError { file: "theme".into(), line: None, what: what.clone() }, |b| b.error(what))
            );
        };
        let text = text.map_err(|what| ThemeError { file: path.clone(), line: None, what })?;
        let file = file::parse(&path, &text)?;
        if let Some(parent) = file.inherits.clone() {
            if files.len() == DEEPEST {
                return Err(parent.error("`inherits` goes round in a circle".into()));
            }
            // a user's `dark` may build on the `dark` of the binary
            let own = parent.it != name;
            wanted = Some((parent.it.clone(), own, Some(parent)));
        }
        files.push(file);
    }
    Ok(files)
}

fn nearest(name: &str) -> &'static str {
    file::nearest(name, shipped::NAMES.iter().copied())
}

/// The style of a specification on this terminal.
fn resolve(
    spec: &Placed<Spec>,
    role: Role,
    palette: &HashMap<String, Color>,
    depth: ColorDepth,
) -> Result<Style, ThemeError> {
    let color = |word: &Option<String>, ground: bool| -> Result<Option<Color>, ThemeError> {
        let Some(word) = word else { return Ok(None) };
        let color = palette.get(word).copied().or_else(|| color::parse(word));
        let color = color.ok_or_else(|| spec.error(file::no_color(word)))?;
        // body text of a warm or cold white is to stay white where there are but sixteen colours
        let neutral = matches!(word.as_str(), "text" | "background");
        let fit = |c| match () {
            () if neutral => depth.fit_neutral(c),
            () if ground => depth.fit_tint(c),
            () => depth.fit(c),
        };
        // the terminal's own colour is what a cell has anyway
        Ok(Some(color).filter(|c| *c != Color::Reset).and_then(fit))
    };
    let (fg, bg) = (color(&spec.it.fg, false)?, color(&spec.it.bg, true)?);
    let style = Style { fg, bg, add_modifier: spec.it.modifiers, ..Style::new() };
    Ok(match depth {
        ColorDepth::None => Style { add_modifier: spec.it.modifiers | without_colors(role), ..style },
        ColorDepth::Ansi16 => of_sixteen(style, role, is_named(&spec.it.fg, palette), palette),
        ColorDepth::Ansi256 | ColorDepth::True => style,
    })
}

/// A style where there are sixteen colours, and no tints of them. `named`: just this foreground was wanted.
fn of_sixteen(style: Style, role: Role, named: bool, palette: &HashMap<String, Color>) -> Style {
    // Green on green.
    if is_tinted(role) && style.bg.is_some() {
        return Style { bg: None, ..style }.add_modifier(without_colors(role));
    }
    // What stands on it may have any of the sixteen colours, that of the ground too.
    if role == Role::Selection && style.bg.is_some() {
        return Style { bg: None, ..style }.add_modifier(Modifier::REVERSED);
    }
    // Many a palette has a dark gray that is hardly seen: faint words are words all the same, but fainter.
    if style.fg == Some(Color::DarkGray) && !named {
        let text = palette.get("text").copied().filter(|color| *color != Color::Reset);
        let fg = text.and_then(|color| ColorDepth::Ansi16.fit_neutral(color));
        return Style { fg, ..style }.add_modifier(Modifier::DIM);
    }
    style
}

/// Whether it is body text, or one of the sixteen by its name: then that is what was wanted.
fn is_named(word: &Option<String>, palette: &HashMap<String, Color>) -> bool {
    let color = |word: &str| palette.get(word).copied().or_else(|| color::parse(word));
    word.as_deref()
        .is_none_or(|word| word == "text" || !matches!(color(word), Some(Color::Rgb(..) | Color::Indexed(_))))
}

/// True for text on a tint of its own colour.
fn is_tinted(role: Role) -> bool {
    matches!(role, Role::DiffAdded | Role::DiffRemoved | Role::DiffAddedWord | Role::DiffRemovedWord)
}

/// What tells a role apart on a terminal without colours.
fn without_colors(role: Role) -> Modifier {
    use Role::*;
    match role {
        Selection => Modifier::REVERSED,
        SearchMatch => Modifier::BOLD | Modifier::UNDERLINED,
        Dim | Placeholder | Border | DiffLineNumber | TableBorder | Rule => Modifier::DIM,
        Code | PickerMatch | Link | Emphasis | DiffAddedWord | DiffRemovedWord => Modifier::UNDERLINED,
        Accent | User | Heading1 | Heading2 | Heading3 | Strong | TableHeader | ToolError | BorderFocus
        | StatusAccent | Warning | Error => Modifier::BOLD,
        _ => Modifier::empty(),
    }
}
