//! A small lexer for many languages: good enough to read code by, fast enough to forget about.
//!
//! It knows comments, quotes, numbers, words and the habits in `language`; it does not parse. Between two lines it
//! remembers one [`Open`], so that the lines of a block are coloured as they come.

use super::Part;
use super::language::{Habit, Language, Quote};
use crate::tui::theme::Role;

#[derive(Debug, Clone)]
pub(super) struct Lexer {
    language: &'static Language,
    open: Open,
}

/// What goes on from the line before.
#[derive(Debug, Clone, Copy)]
enum Open {
    Nothing,
    Comment(&'static str),
    Quoted(&'static Quote),
    /// Between `<` and `>`.
    Tag,
}

impl Lexer {
    pub fn new(language: &'static Language) -> Self {
        Lexer { language, open: Open::Nothing }
    }

    pub fn line(&mut self, line: &str, parts: &mut Vec<Part>) {
        if self.language.does(Habit::Diff) {
            return parts.push((line.len(), diff_role(line)));
        }
        let mut scan = Scan { language: self.language, line, at: 0, command: true, function: false, parts };
        while scan.at < line.len() {
            self.open = match self.open {
                Open::Nothing if self.language.does(Habit::Markup) => scan.text(),
                Open::Nothing => scan.code(),
                Open::Tag => scan.tag(),
                Open::Comment(end) => scan.comment(end),
                Open::Quoted(quote) => scan.quoted(quote),
            };
        }
        if matches!(self.open, Open::Quoted(quote) if !quote.lines) {
            self.open = Open::Nothing;
        }
    }
}

fn diff_role(line: &str) -> Role {
    match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Role::SyntaxHeading,
        [b'+' | b'>', ..] => Role::SyntaxInserted,
        [b'-' | b'<', ..] => Role::SyntaxDeleted,
        [b'@', b'@', ..] => Role::SyntaxFunction,
        _ if line.starts_with("diff ") || line.starts_with("index ") => Role::SyntaxComment,
        _ => Role::CodeBlock,
    }
}

/// One line being read.
struct Scan<'a> {
    language: &'static Language,
    line: &'a str,
    at: usize,
    /// The next word is the name of a command.
    command: bool,
    /// The next word is the name of a function: after `fn`, `def` …
    function: bool,
    parts: &'a mut Vec<Part>,
}

impl Scan<'_> {
    fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    fn emit(&mut self, bytes: usize, role: Role) {
        self.at += bytes;
        match self.parts.last_mut() {
            Some((length, last)) if *last == role => *length += bytes,
            _ => self.parts.push((bytes, role)),
        }
    }

    fn does(&self, habit: Habit) -> bool {
        self.language.does(habit)
    }

    /// Bytes of the beginning of the rest that `wanted` takes.
    fn span(&self, wanted: impl Fn(char) -> bool) -> usize {
        self.rest().find(|c| !wanted(c)).unwrap_or(self.rest().len())
    }

    fn after_blank(&self) -> bool {
        self.line[..self.at].chars().next_back().is_none_or(char::is_whitespace)
    }

    fn at_line_start(&self) -> bool {
        self.line[..self.at].chars().all(|c| c.is_whitespace() || c == '-')
    }

    fn comment(&mut self, end: &'static str) -> Open {
        match self.rest().find(end) {
            Some(found) => {
                self.emit(found + end.len(), Role::SyntaxComment);
                Open::Nothing
            }
            None => {
                self.emit(self.rest().len(), Role::SyntaxComment);
                Open::Comment(end)
            }
        }
    }

    fn quoted(&mut self, quote: &'static Quote) -> Open {
        let (end, closed) = quote_end(self.rest(), quote);
        self.emit(end, Role::SyntaxString);
        if closed { Open::Nothing } else { Open::Quoted(quote) }
    }

    /// The next token of code.
    fn code(&mut self) -> Open {
        let Some(first) = self.rest().chars().next() else { return Open::Nothing };
        if first.is_whitespace() {
            self.emit(self.span(char::is_whitespace), Role::CodeBlock);
        } else if self.begins_comment() {
            self.emit(self.rest().len(), Role::SyntaxComment);
        } else if let Some(open) = self.begins_block() {
            return open;
        } else if let Some(bytes) = self.attribute() {
            self.emit(bytes, Role::SyntaxAttribute);
        } else if first == '$' && self.does(Habit::Dollars) {
            self.emit(self.variable(), Role::SyntaxVariable);
        } else if first.is_ascii_digit() {
            self.emit(self.number(), Role::SyntaxNumber);
        } else if self.is_word(first) {
            self.word();
        } else {
            self.sign(first);
        }
        Open::Nothing
    }

    fn begins_comment(&self) -> bool {
        let hash = !self.does(Habit::Commands) || self.after_blank();
        hash && self.language.line_comments.split(' ').any(|c| !c.is_empty() && self.rest().starts_with(c))
    }

    /// A block comment or a quote that begins here.
    fn begins_block(&mut self) -> Option<Open> {
        if let Some((start, end)) = self.language.block_comment.filter(|(start, _)| self.rest().starts_with(start)) {
            self.emit(start.len(), Role::SyntaxComment);
            return Some(self.comment_or_open(end));
        }
        if let Some(bytes) = self.lifetime() {
            self.emit(bytes, Role::SyntaxAttribute);
            return Some(Open::Nothing);
        }
        let quote = self.language.quotes.iter().find(|q| self.rest().starts_with(q.open))?;
        self.command = false;
        let body = &self.rest()[quote.open.len()..];
        let (end, closed) = quote_end(body, quote);
        let bytes = quote.open.len() + end;
        let key = closed && self.language.key_end.is_some_and(|k| self.rest()[bytes..].trim_start().starts_with(k));
        self.emit(bytes, if key { Role::SyntaxAttribute } else { Role::SyntaxString });
        Some(if closed { Open::Nothing } else { Open::Quoted(quote) })
    }

    fn comment_or_open(&mut self, end: &'static str) -> Open {
        if self.rest().is_empty() { Open::Comment(end) } else { self.comment(end) }
    }

    fn lifetime(&self) -> Option<usize> {
        let name = self.rest().strip_prefix('\'').filter(|_| self.does(Habit::Lifetimes))?;
        let length = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        (length > 0 && !name[length..].starts_with('\'')).then_some(1 + length)
    }

    fn attribute(&self) -> Option<usize> {
        let rest = self.rest();
        if self.does(Habit::HashAttributes) && (rest.starts_with("#[") || rest.starts_with("#![")) {
            return Some(rest.find(']').map_or(rest.len(), |end| end + 1));
        }
        let named = |extra: &str| {
            let end = rest[1..].find(|c: char| !c.is_alphanumeric() && c != '_' && !extra.contains(c));
            1 + end.unwrap_or(rest.len() - 1)
        };
        if self.does(Habit::AtAttributes) && rest.starts_with('@') {
            return Some(named("."));
        }
        if self.does(Habit::Preprocessor) && rest.starts_with('#') && self.at_line_start() {
            return Some(named(" "));
        }
        let option = self.does(Habit::Commands) && rest.starts_with('-') && self.after_blank();
        (option && named("-") > 1).then(|| named("-"))
    }

    fn variable(&self) -> usize {
        let rest = self.rest();
        match rest[1..].chars().next() {
            Some('{') => rest.find('}').map_or(rest.len(), |end| end + 1),
            Some(c) if c.is_alphanumeric() || c == '_' => {
                1 + rest[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len() - 1)
            }
            Some(c) if "?#@*!$-".contains(c) => 2,
            _ => 1,
        }
    }

    fn number(&self) -> usize {
        let bytes = self.rest().as_bytes();
        let part = |i: usize, b: u8| {
            let decimal = b == b'.' && bytes.get(i + 1).is_some_and(u8::is_ascii_digit);
            b.is_ascii_alphanumeric() || b == b'_' || decimal
        };
        (0..bytes.len()).find(|&i| !part(i, bytes[i])).unwrap_or(bytes.len())
    }

    fn is_word(&self, c: char) -> bool {
        c.is_alphanumeric() || c == '_' || self.language.word_extra.contains(c)
    }

    fn word(&mut self) {
        let bytes = self.span(|c| self.is_word(c));
        let word = &self.rest()[..bytes];
        let role = self.word_role(word, &self.rest()[bytes..]);
        self.function = matches!(word, "fn" | "def" | "func" | "fun" | "function" | "sub");
        self.command = false;
        // `sudo x`, `if x`: the command is still to come
        if self.does(Habit::Commands) && role == Role::SyntaxKeyword {
            self.command = true;
        }
        self.emit(bytes, role);
    }

    fn word_role(&self, word: &str, after: &str) -> Role {
        let language = self.language;
        let first = word.chars().next().unwrap_or(' ');
        let next = after.trim_start();
        if language.key_end.is_some_and(|end| next.starts_with(end)) && self.at_line_start() {
            Role::SyntaxAttribute
        } else if language.lists(language.keywords, word) && (self.command || !self.does(Habit::Commands)) {
            Role::SyntaxKeyword
        } else if language.lists(language.constants, word) {
            Role::SyntaxConstant
        } else if language.lists(language.types, word) {
            Role::SyntaxType
        } else if self.does(Habit::Commands) {
            if self.command && !next.starts_with('=') { Role::SyntaxFunction } else { Role::CodeBlock }
        } else if self.function
            || after.starts_with('(')
            || (self.does(Habit::Macros) && after.starts_with('!') && !after.starts_with("!="))
        {
            Role::SyntaxFunction
        } else if first.is_uppercase() && !self.does(Habit::NoCapitals) {
            if word.len() > 1 && !word.contains(char::is_lowercase) { Role::SyntaxConstant } else { Role::SyntaxType }
        } else {
            Role::SyntaxVariable
        }
    }

    fn sign(&mut self, sign: char) {
        let role = match sign {
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '.' | ':' => Role::SyntaxPunctuation,
            c if c.is_ascii_punctuation() => Role::SyntaxOperator,
            _ => Role::CodeBlock,
        };
        self.command |= matches!(sign, '|' | '&' | ';' | '(' | '`');
        self.emit(sign.len_utf8(), role);
    }

    /// Markup outside of tags.
    fn text(&mut self) -> Open {
        if let Some((start, end)) = self.language.block_comment.filter(|(start, _)| self.rest().starts_with(start)) {
            self.emit(start.len(), Role::SyntaxComment);
            return self.comment_or_open(end);
        }
        if !self.rest().starts_with('<') {
            self.emit(self.span(|c| c != '<'), Role::CodeBlock);
            return Open::Nothing;
        }
        self.emit(self.span(|c| "</!?".contains(c)), Role::SyntaxPunctuation);
        self.emit_some(self.span(|c| c.is_alphanumeric() || "-_:.".contains(c)), Role::SyntaxTag);
        Open::Tag
    }

    fn emit_some(&mut self, bytes: usize, role: Role) {
        if bytes > 0 {
            self.emit(bytes, role);
        }
    }

    /// Markup within a tag.
    fn tag(&mut self) -> Open {
        let Some(first) = self.rest().chars().next() else { return Open::Tag };
        if let Some(quote) = self.language.quotes.iter().find(|q| self.rest().starts_with(q.open)) {
            let (end, _) = quote_end(&self.rest()[1..], quote);
            self.emit(1 + end, Role::SyntaxString);
        } else if first.is_alphanumeric() {
            self.emit(self.span(|c| c.is_alphanumeric() || "-_:.@".contains(c)), Role::SyntaxAttribute);
        } else {
            let role = if first.is_whitespace() { Role::CodeBlock } else { Role::SyntaxPunctuation };
            self.emit(first.len_utf8(), role);
        }
        if first == '>' { Open::Nothing } else { Open::Tag }
    }
}

/// Where the quoted text ends, with its closing quote, and whether there is one.
fn quote_end(body: &str, quote: &Quote) -> (usize, bool) {
    let mut at = 0;
    while let Some(c) = body[at..].chars().next() {
        if body[at..].starts_with(quote.close) {
            return (at + quote.close.len(), true);
        }
        at += c.len_utf8();
        if c == '\\' && quote.escapes {
            at += body[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    (at, false)
}
