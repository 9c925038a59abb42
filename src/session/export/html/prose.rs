//! What models write: Markdown as HTML, without anything of theirs becoming markup.
//!
//! HTML in it is shown as it was written, pictures are named and not fetched, links go to the web and to mail only.

use super::{code::Colours, page::Page};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Deeper nesting than anybody writes by hand: beyond it the text is shown as it is, since browsers recurse.
const DEEPEST: usize = 100;

pub fn write(page: &mut Page, code: &mut Colours, text: &str) {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events: Vec<Event> = Parser::new_ext(text, options).collect();
    if too_deep(&events) {
        page.raw("<pre>").text(text).raw("</pre>\n");
        return;
    }
    let mut writer = Writer { page, code, block: None, columns: vec![], column: 0, heading: false, links: vec![] };
    events.into_iter().for_each(|event| writer.event(event));
}

fn too_deep(events: &[Event]) -> bool {
    let mut depth = 0_usize;
    events.iter().any(|event| {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}

struct Writer<'a> {
    page: &'a mut Page,
    code: &'a mut Colours,
    /// The code block that is open: its language and text.
    block: Option<(String, String)>,
    columns: Vec<Alignment>,
    column: usize,
    /// Within the head of a table.
    heading: bool,
    /// Whether each open link became one.
    links: Vec<bool>,
}

impl Writer<'_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.block {
                Some((_, code)) => code.push_str(&text),
                None => drop(self.page.text(&text)),
            },
            Event::Code(text) => drop(self.page.raw("<code>").text(&text).raw("</code>")),
            Event::SoftBreak => drop(self.page.raw("\n")),
            Event::HardBreak => drop(self.page.raw("<br>\n")),
            Event::Rule => drop(self.page.raw("<hr>\n")),
            Event::TaskListMarker(done) => {
                self.page.raw("<span class=\"task\">").raw(if done { "☑" } else { "☐" }).raw("</span> ");
            }
            Event::Html(text) | Event::InlineHtml(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.page.text(&text);
            }
            Event::FootnoteReference(name) => drop(self.page.raw("[").text(&name).raw("]")),
        }
    }

    fn start(&mut self, tag: Tag) {
        let page = &mut *self.page;
        match tag {
            Tag::Paragraph => drop(page.raw("<p>")),
            Tag::Heading { level, .. } => drop(page.raw("<").raw(heading(level)).raw(">")),
            Tag::BlockQuote(_) => drop(page.raw("<blockquote>\n")),
            Tag::CodeBlock(CodeBlockKind::Fenced(language)) => self.block = Some((language.into(), String::new())),
            Tag::CodeBlock(CodeBlockKind::Indented) => self.block = Some((String::new(), String::new())),
            Tag::List(Some(first)) => drop(page.raw(&format!("<ol start=\"{first}\">\n"))),
            Tag::List(None) => drop(page.raw("<ul>\n")),
            Tag::Item => drop(page.raw("<li>")),
            Tag::Table(columns) => {
                self.columns = columns;
                page.raw("<div class=\"wide\"><table>\n");
            }
            Tag::TableHead => {
                (self.heading, self.column) = (true, 0);
                page.raw("<tr>");
            }
            Tag::TableRow => {
                self.column = 0;
                page.raw("<tr>");
            }
            Tag::TableCell => {
                let side = match self.columns.get(self.column) {
                    Some(Alignment::Right) => " class=\"right\"",
                    Some(Alignment::Center) => " class=\"center\"",
                    _ => "",
                };
                self.column += 1;
                page.raw(if self.heading { "<th" } else { "<td" }).raw(side).raw(">");
            }
            Tag::Emphasis => drop(page.raw("<em>")),
            Tag::Strong => drop(page.raw("<strong>")),
            Tag::Strikethrough => drop(page.raw("<del>")),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            Tag::Image { dest_url, .. } => {
                page.raw("[picture ");
                self.link(&dest_url);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let page = &mut *self.page;
        match tag {
            TagEnd::Paragraph => drop(page.raw("</p>\n")),
            TagEnd::Heading(level) => drop(page.raw("</").raw(heading(level)).raw(">\n")),
            TagEnd::BlockQuote(_) => drop(page.raw("</blockquote>\n")),
            TagEnd::CodeBlock => {
                let (language, text) = self.block.take().unwrap_or_default();
                self.code.block(page, &language, &text);
            }
            TagEnd::List(ordered) => drop(page.raw(if ordered { "</ol>\n" } else { "</ul>\n" })),
            TagEnd::Item => drop(page.raw("</li>\n")),
            TagEnd::Table => drop(page.raw("</table></div>\n")),
            TagEnd::TableHead => {
                self.heading = false;
                page.raw("</tr>\n");
            }
            TagEnd::TableRow => drop(page.raw("</tr>\n")),
            TagEnd::TableCell => drop(page.raw(if self.heading { "</th>" } else { "</td>" })),
            TagEnd::Emphasis => drop(page.raw("</em>")),
            TagEnd::Strong => drop(page.raw("</strong>")),
            TagEnd::Strikethrough => drop(page.raw("</del>")),
            TagEnd::Link => self.unlink(""),
            TagEnd::Image => self.unlink("]"),
            _ => {}
        }
    }

    fn link(&mut self, target: &str) {
        let safe = is_safe(target);
        self.links.push(safe);
        if safe {
            self.page.raw("<a rel=\"noreferrer noopener\" href=\"").text(target).raw("\">");
        }
    }

    fn unlink(&mut self, behind: &str) {
        if self.links.pop() == Some(true) {
            self.page.raw("</a>");
        }
        self.page.raw(behind);
    }
}

/// Targets that can only open a page or a letter.
fn is_safe(target: &str) -> bool {
    let lower = target.to_ascii_lowercase();
    let known = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    known && !target.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// The page has a heading of its own above those of the text.
fn heading(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 => "h2",
        HeadingLevel::H2 => "h3",
        HeadingLevel::H3 => "h4",
        HeadingLevel::H4 => "h5",
        HeadingLevel::H5 | HeadingLevel::H6 => "h6",
    }
}
