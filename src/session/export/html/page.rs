//! Where markup and words meet.

/// A page that grows.
#[derive(Default)]
pub struct Page(String);

impl Page {
    /// Markup, from this program.
    pub fn raw(&mut self, markup: &str) -> &mut Page {
        self.0.push_str(markup);
        self
    }

    /// Words, from anywhere; also right within a quoted attribute.
    pub fn text(&mut self, words: &str) -> &mut Page {
        for c in words.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(c),
                c if c.is_control() => {}
                c => self.0.push(c),
            }
        }
        self
    }

    pub fn end(self) -> String {
        self.0
    }
}
