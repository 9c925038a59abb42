//! `<think>` tags in the answer's text, for servers that have no field for reasoning.
//!
//! A tag opens thinking only at the very start of the text; a lone closing tag counts only at the start of a line. What
//! looks like a tag anywhere else is somebody talking about tags. At most a tag's length is held back.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// What a piece of text turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    Text(String),
    Thinking(String),
    /// The text so far was thinking.
    LoneClose,
}

#[derive(Debug, Default)]
pub struct Tags {
    state: State,
    /// Text that may be the beginning of a tag.
    held: String,
    /// The last text given on ended a line (or there was none).
    mid_line: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but blanks so far.
    #[default]
    Start,
    /// Behind the opening tag, before the first visible character.
    Opened,
    Inside,
    /// Text that began without a tag; a lone closing tag may come.
    Bare,
    /// Behind the closing tag, before the first visible character.
    Closed,
    /// No tag is looked for any more.
    Off,
}

impl Tags {
    /// The stream has a field for reasoning: what is held back is text after all.
    pub fn switch_off(&mut self) -> Option<Found> {
        self.state = State::Off;
        self.rest()
    }

    /// What is still held back when the text ends.
    pub fn rest(&mut self) -> Option<Found> {
        let held = std::mem::take(&mut self.held);
        let found =
            if matches!(self.state, State::Opened | State::Inside) { Found::Thinking(held) } else { Found::Text(held) };
        (found != Found::Text(String::new()) && found != Found::Thinking(String::new())).then_some(found)
    }

    pub fn push(&mut self, piece: String) -> Vec<Found> {
        if self.state == State::Off {
            return vec![Found::Text(piece)];
        }
        self.held.push_str(&piece);
        let mut found = Vec::new();
        while self.step(&mut found) {}
        found
    }

    /// One move; false when more text is needed.
    fn step(&mut self, found: &mut Vec<Found>) -> bool {
        match self.state {
            State::Start => self.at_start(),
            State::Opened => self.behind_tag(State::Inside),
            State::Inside => self.inside(found),
            State::Bare => self.bare(found),
            State::Closed => self.behind_tag(State::Off),
            State::Off => {
                found.extend(self.rest());
                false
            }
        }
    }

    fn at_start(&mut self) -> bool {
        let text = self.held.trim_start();
        if text.is_empty() || (OPEN.starts_with(text) && text.len() < OPEN.len()) {
            // Blanks may be the whole text of a message beside a call; they are given on with what follows.
            return false;
        }
        if let Some(rest) = text.strip_prefix(OPEN) {
            self.held = rest.to_owned();
            self.state = State::Opened;
        } else {
            self.state = State::Bare;
        }
        true
    }

    fn inside(&mut self, found: &mut Vec<Found>) -> bool {
        if let Some(at) = self.held.find(CLOSE) {
            let rest = self.held.split_off(at)[CLOSE.len()..].to_owned();
            let before = std::mem::replace(&mut self.held, rest);
            if !before.is_empty() {
                found.push(Found::Thinking(before));
            }
            self.state = State::Closed;
            return true;
        }
        let ready = self.take_all_but_a_beginning(CLOSE);
        if !ready.is_empty() {
            found.push(Found::Thinking(ready));
        }
        false
    }

    fn bare(&mut self, found: &mut Vec<Found>) -> bool {
        if let Some(at) = self.held.find(CLOSE) {
            let at_line_start = self.held[..at].chars().next_back().map_or(!self.mid_line, |c| c == '\n');
            let rest = self.held.split_off(at)[CLOSE.len()..].to_owned();
            let before = std::mem::replace(&mut self.held, rest);
            if at_line_start {
                found.push(Found::Text(before));
                found.push(Found::LoneClose);
                self.state = State::Closed;
            } else {
                found.push(Found::Text(before + CLOSE));
                self.state = State::Off;
            }
            return true;
        }
        let ready = self.take_all_but_a_beginning(CLOSE);
        if let Some(last) = ready.chars().next_back() {
            self.mid_line = last != '\n';
            found.push(Found::Text(ready));
        }
        false
    }

    /// Drops the line ends that set a tag apart.
    fn behind_tag(&mut self, next: State) -> bool {
        let rest = self.held.trim_start_matches(['\r', '\n', ' ']);
        if rest.is_empty() {
            self.held.clear();
            return false;
        }
        self.held = rest.to_owned();
        self.state = next;
        true
    }

    /// Takes what is held, but for an end that `tag` may begin with.
    fn take_all_but_a_beginning(&mut self, tag: &str) -> String {
        let longest = (1..tag.len()).rev().find(|n| self.held.ends_with(&tag[..*n])).unwrap_or(0);
        let kept = self.held.split_off(self.held.len() - longest);
        std::mem::replace(&mut self.held, kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (thinking, text), with a lone close turning text into thinking.
    fn read(pieces: &[&str]) -> (String, String) {
        let (mut tags, mut thinking, mut text) = (Tags::default(), String::new(), String::new());
        let mut found: Vec<Found> = pieces.iter().flat_map(|p| tags.push((*p).to_owned())).collect();
        found.extend(tags.rest());
        for f in found {
            match f {
                Found::Text(s) => text.push_str(&s),
                Found::Thinking(s) => thinking.push_str(&s),
                Found::LoneClose => thinking = std::mem::take(&mut text),
            }
        }
        (thinking, text)
    }

    #[track_caller]
    fn check(text: &str, thinking: &str, answer: &str) {
        let by_char: Vec<String> = text.chars().map(String::from).collect();
        let by_char: Vec<&str> = by_char.iter().map(String::as_str).collect();
        for pieces in [&[text][..], &by_char[..]] {
            assert_eq!(read(pieces), (thinking.to_owned(), answer.to_owned()), "{pieces:?}");
        }
    }

    #[test]
    fn tags_anywhere_they_can_be() {
        check("<think>secret</think>answer", "secret", "answer");
        check("\n<think>\nsecret\n</think>\n\nanswer <think>x</think>", "secret\n", "answer <think>x</think>");
        check("<think></think>answer", "", "answer");
        check("<think>never closed", "never closed", "");
        check("reasoning\n</think>\n\nanswer", "reasoning\n", "answer");
        check("Use `<think>x</think>` in docs", "", "Use `<think>x</think>` in docs");
        check("a < b <thi", "", "a < b <thi");
        check("\n\n", "", "\n\n");
        check("<thinker> is a word", "", "<thinker> is a word");
    }

    #[test]
    fn holds_back_at_most_a_tag() {
        let mut tags = Tags::default();
        assert_eq!(tags.push("hello".into()), [Found::Text("hello".into())]);
        assert_eq!(tags.push(" world</thin".into()), [Found::Text(" world".into())]);
        assert_eq!(tags.push("gs".into()), [Found::Text("</things".into())]);
    }
}
