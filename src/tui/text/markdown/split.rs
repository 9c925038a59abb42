//! Where a text of markdown may be cut: line by line, top-level blocks are told apart.
//!
//! A cut is only made where CommonMark begins a new block, so each piece can be parsed on its own; not every such place is
//! a cut (a quote after a paragraph stays in its piece). Items of a list are pieces of their own, with their number, so
//! that a long list costs no more than its last item.

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Anything that needs no care.
    Text,
    /// One line that is a heading.
    Heading,
    /// An item of a list; the number of an ordered one.
    Item { number: Option<u64> },
    /// A fenced code block: blanks before the fence.
    Fence { indent: usize },
}

/// What a line does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Begins a piece; with an empty line before it or not.
    Begin { kind: Kind, gap: bool },
    /// Belongs to the piece before it.
    Continue,
    /// Closes the fence.
    Close,
    /// Nothing but blanks, outside of a fence.
    Blank,
}

/// The memory between two lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Splitter {
    open: Open,
    /// The line before was empty.
    blank: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Open {
    /// The next line begins a piece.
    #[default]
    Nothing,
    Paragraph,
    IndentedCode,
    Item(Marker),
    Fence {
        mark: char,
        length: usize,
    },
}

/// The mark of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Marker {
    /// `-`, `*`, `+`, or what follows the number: `.`, `)`.
    sign: char,
    number: Option<u64>,
    /// The column where the item's text begins.
    content: usize,
    /// Nothing follows the mark.
    empty: bool,
}

impl Splitter {
    /// Takes the next line, without its newline.
    pub fn line(&mut self, line: &str) -> Verdict {
        if let Open::Fence { mark, length } = self.open {
            return self.in_fence(line, mark, length);
        }
        let line = Line::new(line);
        if line.text.is_empty() {
            self.blank = true;
            if self.open == Open::Paragraph {
                self.open = Open::Nothing;
            }
            return Verdict::Blank;
        }
        let gap = std::mem::take(&mut self.blank);
        if self.continues(&line, gap) { Verdict::Continue } else { self.begin(&line, gap) }
    }

    fn in_fence(&mut self, line: &str, mark: char, length: usize) -> Verdict {
        let line = Line::new(line);
        let marks = line.text.trim_end();
        if line.indent < 4 && marks.chars().all(|c| c == mark) && marks.len() >= length {
            self.open = Open::Nothing;
            return Verdict::Close;
        }
        Verdict::Continue
    }

    /// True if the line belongs to the open piece.
    fn continues(&self, line: &Line, gap: bool) -> bool {
        match self.open {
            Open::Nothing | Open::Fence { .. } => false,
            Open::IndentedCode => line.indent >= 4,
            Open::Paragraph => !line.interrupts(),
            Open::Item(item) if line.indent >= item.content => !(gap && item.empty),
            Open::Item(_) if gap => false,
            // a line of the item's paragraph that isn't indented as it should be
            Open::Item(_) => !line.interrupts() && line.marker().is_none() && !line.is_rule() && !line.is_quote(),
        }
    }

    fn begin(&mut self, line: &Line, gap: bool) -> Verdict {
        let before = std::mem::take(&mut self.open);
        let kind = if line.indent >= 4 {
            self.open = Open::IndentedCode;
            Kind::Text
        } else if let Some((mark, length)) = line.fence() {
            self.open = Open::Fence { mark, length };
            Kind::Fence { indent: line.indent }
        } else if line.is_heading() {
            Kind::Heading
        } else if line.is_rule() {
            Kind::Text
        } else if let Some(marker) = line.marker() {
            self.item(marker, before)
        } else {
            self.open = Open::Paragraph;
            Kind::Text
        };
        Verdict::Begin { kind, gap }
    }

    /// An item counts on from the one before, whatever its own number says.
    fn item(&mut self, mut marker: Marker, before: Open) -> Kind {
        if let Open::Item(last) = before
            && last.sign == marker.sign
            && last.number.is_some() == marker.number.is_some()
        {
            marker.number = last.number.map(|n| n.saturating_add(1));
        }
        self.open = Open::Item(marker);
        Kind::Item { number: marker.number }
    }
}

/// A line and its indentation in columns.
struct Line<'a> {
    indent: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn new(line: &'a str) -> Self {
        let text = line.trim_start_matches([' ', '\t']);
        let blanks = &line[..line.len() - text.len()];
        let indent = blanks.bytes().fold(0, |at, b| if b == b'\t' { at + 4 - at % 4 } else { at + 1 });
        Line { indent, text }
    }

    /// True for what ends a paragraph without an empty line.
    fn interrupts(&self) -> bool {
        let item = || self.marker().is_some_and(|m| !m.empty && m.number.is_none_or(|n| n == 1));
        self.indent < 4 && (self.fence().is_some() || self.is_heading() || (!self.is_rule() && item()))
    }

    fn fence(&self) -> Option<(char, usize)> {
        let mark = self.text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = self.text.trim_start_matches(mark);
        let length = self.text.len() - info.len();
        (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length))
    }

    fn is_heading(&self) -> bool {
        let rest = self.text.trim_start_matches('#');
        (1..=6).contains(&(self.text.len() - rest.len())) && (rest.is_empty() || rest.starts_with([' ', '\t']))
    }

    fn is_quote(&self) -> bool {
        self.text.starts_with('>')
    }

    fn is_rule(&self) -> bool {
        let mark = self.text.chars().next().filter(|c| matches!(c, '-' | '*' | '_'));
        let marks = self.text.chars().filter(|c| !c.is_whitespace());
        mark.is_some_and(|m| self.text.chars().all(|c| c == m || c == ' ' || c == '\t') && marks.count() >= 3)
    }

    fn marker(&self) -> Option<Marker> {
        let digits = self.text.bytes().take_while(u8::is_ascii_digit).count();
        let sign = self.text[digits..].chars().next()?;
        let bullet = digits == 0 && matches!(sign, '-' | '*' | '+');
        let ordered = (1..=9).contains(&digits) && matches!(sign, '.' | ')');
        if !bullet && !ordered {
            return None;
        }
        let rest = &self.text[digits + 1..];
        if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
            return None;
        }
        let after = Line::new(rest);
        let empty = after.text.is_empty();
        let blanks = if empty || after.indent > 4 { 1 } else { after.indent };
        let number = self.text[..digits].parse().ok();
        Some(Marker { sign, number, content: self.indent + digits + 1 + blanks, empty })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of a text, each as its first line and what it is.
    fn pieces(text: &str) -> Vec<(String, Kind, bool)> {
        let mut splitter = Splitter::default();
        let begin = |line: &str| match splitter.line(line) {
            Verdict::Begin { kind, gap } => Some((line.to_owned(), kind, gap)),
            _ => None,
        };
        text.lines().filter_map(begin).collect()
    }

    fn firsts(text: &str) -> Vec<String> {
        pieces(text).into_iter().map(|(line, ..)| line).collect()
    }

    #[test]
    fn paragraphs_headings_and_fences() {
        assert_eq!(firsts("a\nb\n\nc\n# h\nd\n```x\n\n# no\n```\ne"), ["a", "c", "# h", "d", "```x", "e"]);
        assert_eq!(firsts("```\n~~~\n``\n```` \nx"), ["```", "x"]);
        assert_eq!(firsts("``` a`b\nc"), ["``` a`b"], "not a fence");
        assert_eq!(firsts("#no\nx\n---\n> q\ny"), ["#no"], "setext headings and quotes stay in their piece");
        assert_eq!(firsts("    code\n\n    more\ntext"), ["    code", "text"]);
    }

    #[test]
    fn items_are_pieces_with_numbers() {
        let item = |number| Kind::Item { number: Some(number) };
        assert_eq!(
            pieces("1. a\n   more\n\n   para\n1. b\n\nend"),
            [("1. a".into(), item(1), false), ("1. b".into(), item(2), false), ("end".into(), Kind::Text, true),]
        );
        assert_eq!(firsts("- a\n  - nested\nlazy\n- b\n* c\n\n- d"), ["- a", "- b", "* c", "- d"]);
        assert_eq!(firsts("text\n2. no list\n1. a list\n- b"), ["text", "1. a list", "- b"]);
        assert_eq!(firsts("- ```\n  x\n\n  y\n  ```\n- b"), ["- ```", "- b"]);
        assert_eq!(firsts("- a\n---\n* * *\nb"), ["- a", "---", "* * *", "b"]);
        assert_eq!(firsts("**bold**\n-no\n1.no"), ["**bold**"]);
    }
}
