//! One piece of markdown becomes rows: pulldown-cmark's events in, rows out.
//!
//! A block draws what it is within (quote bars, list marks) as the margin of its rows. Where the source has an empty line
//! before a block, an empty row is drawn.

use super::{
    code::Code,
    inline::Inline,
    settle::{Plain, Settled},
    table::Table,
};
use crate::tui::{
    text::{
        Page, Row,
        wrap::{Break, Margin, wrap},
    },
    theme::Role,
};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::Style;
use std::ops::Range;

/// Appends the rows of `source`, a piece that `split` cut. `number` replaces that of its first list item; body text has
/// the style `base`. `resumed`: where a paragraph is that is drawn from amid its text on. Says how much of the piece stays
/// as it is if more of it comes.
pub(super) fn render(
    source: &str,
    number: Option<u64>,
    base: Style,
    page: &Page,
    resumed: Option<usize>,
    out: &mut Vec<Row>,
) -> Option<Settled> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut renderer = Renderer {
        source,
        page: *page,
        number,
        first: out.len(),
        out,
        inline: Inline::new(base, page),
        margins: vec![],
        lists: vec![],
        code: None,
        table: None,
        gap: false,
        begin: None,
        resumed,
        plain: Plain::default(),
        settled: None,
    };
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        renderer.event(event, range);
    }
    renderer.flush();
    renderer.settled
}

struct Renderer<'a> {
    source: &'a str,
    page: Page<'a>,
    /// The number of the first item, if it is not the one in the source.
    number: Option<u64>,
    /// Index of the piece's first row.
    first: usize,
    out: &'a mut Vec<Row>,
    inline: Inline<'a>,
    margins: Vec<Level>,
    /// Numbers of the next items of the open lists; none for bullets.
    lists: Vec<Option<u64>>,
    /// Language and text of the open code block.
    code: Option<(String, String)>,
    table: Option<Table>,
    /// An empty row is due before the next one.
    gap: bool,
    /// Where the text being collected begins, if that is outside of all emphasis and links.
    begin: Option<usize>,
    resumed: Option<usize>,
    plain: Plain,
    settled: Option<Settled>,
}

/// What one quote or list item draws before its rows.
struct Level {
    /// Before its first row, as long as that isn't drawn.
    first: Option<Row>,
    rest: Row,
}

impl Renderer<'_> {
    fn event(&mut self, event: Event, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code.is_some() => {
                self.code.iter_mut().for_each(|(_, code)| code.push_str(&text));
            }
            Event::Text(text) => self.text(&text, range),
            Event::Code(text) => {
                self.begin_text(&range);
                self.inline.code(&text);
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => self.inline.text(&text),
            Event::Html(text) => self.html(&text),
            Event::InlineHtml(text) if is_break(&text) => self.line_break(),
            Event::InlineHtml(text) | Event::FootnoteReference(text) => self.inline.text(&text),
            Event::SoftBreak => self.inline.text(" "),
            Event::HardBreak => self.line_break(),
            Event::Rule => self.rule(range),
            Event::TaskListMarker(done) => self.task(done),
        }
    }

    fn start(&mut self, tag: Tag, range: Range<usize>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.block(range),
            Tag::Heading { level, .. } => {
                self.block(range);
                self.inline.begin(heading(level));
            }
            Tag::BlockQuote(_) => self.quote(range),
            Tag::CodeBlock(kind) => {
                self.block(range);
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(start) => {
                self.block(range);
                let first = if self.lists.is_empty() { self.number.take() } else { None };
                self.lists.push(start.map(|n| first.unwrap_or(n)));
            }
            Tag::Item => self.item(range),
            Tag::Table(alignments) => {
                self.block(range);
                self.table = Some(Table { alignments, lines: vec![], headed: true });
            }
            Tag::TableHead => {
                self.table_line();
                self.inline.begin(Role::TableHeader);
            }
            Tag::TableRow => self.table_line(),
            Tag::Emphasis => self.span(Role::Emphasis, &range),
            Tag::Strong => self.span(Role::Strong, &range),
            Tag::Strikethrough => self.span(Role::Strikethrough, &range),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.begin_text(&range);
                self.inline.begin_link(&dest_url);
            }
            _ => {}
        }
    }

    fn span(&mut self, role: Role, range: &Range<usize>) {
        self.begin_text(range);
        self.inline.begin(role);
    }

    /// Remembers where the text begins that is collected.
    fn begin_text(&mut self, range: &Range<usize>) {
        if self.inline.is_empty() && self.inline.is_outside() {
            self.begin.get_or_insert(range.start);
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.inline.end();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.margins.pop();
                self.inline.end_quote();
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item => self.end_item(),
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead => self.inline.end(),
            TagEnd::TableCell => self.cell(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.inline.end(),
            TagEnd::Link | TagEnd::Image => self.inline.end_link(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        self.begin_text(&range);
        let (at, outside) = (self.inline.len(), self.inline.is_outside());
        self.inline.text(text);
        let as_it_is = self.inline.len() - at == range.len() && self.source.get(range.clone()) == Some(text);
        self.plain.text(self.source, range, at, outside && as_it_is);
    }

    /// A block begins: what came before is done, and an empty row stands where the source has an empty line.
    fn block(&mut self, range: Range<usize>) {
        self.flush();
        self.plain = Plain::default();
        self.gap |= self.out.len() > self.first && empty_line_before(self.source, range.start);
    }

    fn quote(&mut self, range: Range<usize>) {
        self.block(range);
        // What the user said has another.
        let bar = if self.page.ambiguous.width("│") == 1 { "│ " } else { "| " };
        self.margins.push(Level { first: None, rest: Row::styled(bar, self.page.theme.style(Role::Quote)) });
        self.inline.begin_quote();
    }

    fn item(&mut self, range: Range<usize>) {
        self.block(range);
        let depth = self.lists.iter().filter(|number| number.is_none()).count();
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ => ["• ", "◦ ", "▪ "][depth.saturating_sub(1) % 3].to_owned(),
        };
        let first = Row::styled(&mark, self.page.theme.style(Role::ListMarker));
        let rest = Row::styled(&" ".repeat(first.width(self.page.ambiguous)), Style::new());
        self.margins.push(Level { first: Some(first), rest });
    }

    /// An item without text shows its mark all the same.
    fn end_item(&mut self) {
        self.flush();
        if self.margins.last().is_some_and(|level| level.first.is_some()) {
            self.put(&Row::new(), Break::Words);
        }
        self.margins.pop();
    }

    fn task(&mut self, done: bool) {
        let mark = if done { "[x] " } else { "[ ] " };
        let style = self.page.theme.style(Role::ListMarker);
        if let Some(Level { first: Some(first), rest }) = self.margins.last_mut() {
            *first = Row::styled(mark, style);
            *rest = Row::styled("    ", Style::new());
        }
    }

    fn rule(&mut self, range: Range<usize>) {
        self.block(range);
        let sign = if self.page.ambiguous.width("─") == 1 { "─" } else { "-" };
        let margin: usize = self.margins.iter().map(|l| l.rest.width(self.page.ambiguous)).sum();
        let row = Row::styled(&sign.repeat(self.page.width.saturating_sub(margin)), self.page.theme.style(Role::Rule));
        self.put(&row, Break::Anywhere);
    }

    /// HTML is shown as it is, line by line.
    fn html(&mut self, text: &str) {
        let lines = text.strip_suffix('\n').unwrap_or(text);
        for line in lines.split('\n') {
            self.inline.text(line);
            self.flush();
        }
    }

    fn line_break(&mut self) {
        if self.table.is_some() {
            self.inline.text(" ");
        } else if self.inline.is_empty() {
            self.put(&Row::new(), Break::Words);
        } else {
            self.flush();
        }
    }

    /// Draws the text collected so far; of a long one some may be settled.
    fn flush(&mut self) {
        if self.table.is_some() || self.inline.is_empty() {
            return;
        }
        let (row, begin) = (self.inline.take(), self.begin.take());
        if begin.is_some() && begin == self.resumed {
            self.margins.iter_mut().for_each(|level| level.first = None);
        }
        let lines = self.put(&row, Break::Words);
        if let Some(from) = begin.filter(|_| self.settled.is_none()) {
            let above = self.out.len().saturating_sub(lines.len() + self.first);
            let settled = self.plain.settle(self.source, &lines);
            self.settled = settled.map(|(bytes, number)| Settled { from, bytes, above, rows: above + number });
        }
        self.plain.turn();
    }

    /// Says which bytes of the row each drawn one shows.
    fn put(&mut self, row: &Row, at: Break) -> Vec<Range<usize>> {
        let margin = self.margin();
        wrap(row, self.page.width, self.page.ambiguous, at, &margin, self.out)
    }

    /// The margin of the next rows; draws the empty row that is due.
    fn margin(&mut self) -> Margin {
        if std::mem::take(&mut self.gap) {
            // the marks of items are not due yet
            let mut empty = join(self.margins.iter().take_while(|l| l.first.is_none()).map(|l| &l.rest));
            empty.cut(empty.text().trim_end().len());
            self.out.push(empty);
        }
        let firsts: Vec<Row> = self.margins.iter_mut().map(|l| l.first.take().unwrap_or(l.rest.clone())).collect();
        Margin { first: join(firsts.iter()), rest: join(self.margins.iter().map(|l| &l.rest)) }
    }

    fn code_block(&mut self) {
        let Some((language, text)) = self.code.take() else { return };
        let mut code = Code::new(&language, &self.page);
        for line in text.strip_suffix('\n').unwrap_or(&text).split('\n') {
            let margin = self.margin();
            code.line(line, &margin, &self.page, self.out);
        }
    }

    fn table_line(&mut self) {
        self.table.iter_mut().for_each(|table| table.lines.push(vec![]));
    }

    fn cell(&mut self) {
        self.begin = None;
        let cell = self.inline.take();
        if let Some(line) = self.table.as_mut().and_then(|table| table.lines.last_mut()) {
            line.push(cell);
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let margin: usize = self.margins.iter().map(|l| l.rest.width(self.page.ambiguous)).sum();
        for row in table.rows(&self.page.narrowed(margin)) {
            self.put(&row, Break::Anywhere);
        }
    }
}

fn join<'r>(rows: impl Iterator<Item = &'r Row>) -> Row {
    rows.fold(Row::new(), |mut all, row| {
        all.append(row);
        all
    })
}

fn heading(level: HeadingLevel) -> Role {
    match level {
        HeadingLevel::H1 => Role::Heading1,
        HeadingLevel::H2 => Role::Heading2,
        _ => Role::Heading3,
    }
}

fn is_break(html: &str) -> bool {
    let name = html.trim_start_matches('<').trim_end_matches(['>', '/', ' ']);
    name.eq_ignore_ascii_case("br")
}

/// True if the line above byte `at` is empty, but for the marks of quotes.
fn empty_line_before(source: &str, at: usize) -> bool {
    let mut above = source[..at].rsplit('\n').skip(1);
    above.next().is_some_and(|line| line.chars().all(|c| matches!(c, ' ' | '\t' | '>')))
}
