//! A session as one HTML page that needs nothing else and looks like the transcript.
//!
//! No script, no address that a browser would fetch: the page's own policy forbids both, should an escape ever be missed.
//! `Page` is the only place where markup and words meet: words go in through `text`, which escapes.

mod ansi;
mod code;
mod diff;
mod page;
mod prose;

use super::{About, Call, Piece, duration, minute, spent, tell::Image};
use page::Page;

const STYLE: &str = include_str!("html/style.css");
const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// Lines of a diff that is shown without being asked for.
const OPEN_DIFF: usize = 60;
/// Milliseconds that are worth mentioning.
const SOON: u64 = 100;

pub fn write(about: &About, pieces: &[Piece]) -> String {
    let mut page = Page::default();
    page.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.raw(&format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n"));
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.raw(
        "<meta name=\"color-scheme\" content=\"dark light\">\n<meta name=\"generator\" content=\"panto\">\n<title>",
    );
    page.text(&about.title);
    page.raw("</title>\n<style>\n").raw(STYLE).raw("</style>\n</head>\n<body>\n");
    head(&mut page, about);
    page.raw("<main>\n");
    let mut body = Body { page, code: code::Colours::default(), model: None };
    pieces.iter().for_each(|piece| body.piece(piece));
    let mut page = body.page;
    page.raw("</main>\n</body>\n</html>\n");
    page.end()
}

fn head(page: &mut Page, about: &About) {
    page.raw("<header>\n<h1>").text(&about.title).raw("</h1>\n<p class=\"about\">");
    let span = match (minute(&about.began), minute(&about.ended)) {
        (began, ended) if began == ended => began,
        (began, ended) if began.get(..10) == ended.get(..10) => format!("{began} – {}", ended.get(11..).unwrap_or("")),
        (began, ended) => format!("{began} – {ended}"),
    };
    let messages = format!("{} message{}", about.messages, if about.messages == 1 { "" } else { "s" });
    let facts = [about.models.join(", "), span, messages, spent(&about.usage), about.cwd.clone()];
    for (n, fact) in facts.iter().filter(|f| !f.is_empty()).enumerate() {
        page.raw(if n == 0 { "" } else { "<i> · </i>" }).raw("<span>").text(fact).raw("</span>");
    }
    page.raw("</p>\n<p class=\"about id\">session ").text(&about.id).raw("</p>\n</header>\n");
}

struct Body {
    page: Page,
    code: code::Colours,
    /// Who spoke last; none after the user.
    model: Option<String>,
}

impl Body {
    fn piece(&mut self, piece: &Piece) {
        let page = &mut self.page;
        match piece {
            Piece::User { at } => {
                self.model = None;
                page.raw("<p class=\"who user\">you <time>").text(&minute(at)).raw("</time></p>\n");
            }
            Piece::Assistant { model, at } => {
                if self.model.as_ref() != Some(model) {
                    self.model = Some(model.clone());
                    page.raw("<p class=\"who\">").text(model).raw(" <time>").text(&minute(at)).raw("</time></p>\n");
                }
            }
            Piece::Text(text) if self.model.is_none() => {
                page.raw("<div class=\"prompt\">").text(text.trim_end()).raw("</div>\n");
            }
            Piece::Text(text) => {
                page.raw("<div class=\"prose\">\n");
                prose::write(page, &mut self.code, text);
                page.raw("</div>\n");
            }
            Piece::Thinking { text, ms } => thinking(page, text, *ms),
            Piece::Call(call) => self.call(call),
            Piece::Image(image) => picture(page, image),
            Piece::Note(text) => drop(page.raw("<p class=\"note\">").text(text).raw("</p>\n")),
            Piece::Aside { title, text } => folded(page, "aside", title, text),
            Piece::Broken(text) => drop(page.raw("<p class=\"broken\">").text(text).raw("</p>\n")),
        }
    }

    fn call(&mut self, call: &Call) {
        let diff = call.diff.as_deref().filter(|_| !call.failed);
        let open = match diff {
            Some(diff) => diff.lines().count() <= OPEN_DIFF,
            None => false,
        };
        let page = &mut self.page;
        page.raw(if call.failed { "<details class=\"call failed\"" } else { "<details class=\"call\"" });
        page.raw(if open { " open>" } else { ">" });
        page.raw("<summary><span class=\"dot\">●</span> ").text(call.title.trim_end());
        if let Some(counts) = diff.map(diff::counts) {
            page.raw(&format!(" <i>+{} −{}</i>", counts.0, counts.1));
        }
        if call.failed {
            page.raw(" <i>failed</i>");
        }
        if let Some(ms) = call.ms.filter(|ms| *ms >= SOON) {
            page.raw(" <i>").text(&duration(ms)).raw("</i>");
        }
        page.raw("</summary>\n<div class=\"body\">\n<p class=\"tool\">").text(&call.name).raw("</p>\n");
        match diff {
            Some(diff) => diff::write(page, diff),
            None => {
                match &call.line {
                    Some(line) => {
                        drop(page.raw("<pre class=\"line\"><span class=\"dot\">$</span> ").text(line).raw("</pre>\n"))
                    }
                    None => self.code.block(page, "json", &call.input),
                }
                if !call.output.trim().is_empty() {
                    page.raw("<pre class=\"output\">");
                    ansi::write(page, call.raw.trim_end());
                    page.raw("</pre>\n");
                }
            }
        }
        call.images.iter().for_each(|image| picture(page, image));
        page.raw("</div>\n</details>\n");
    }
}

fn thinking(page: &mut Page, text: &str, ms: Option<u64>) {
    let words = ms.map_or_else(|| "thought".to_owned(), |ms| format!("thought for {}", duration(ms)));
    folded(page, "thinking", &words, text);
}

fn folded(page: &mut Page, class: &str, title: &str, text: &str) {
    page.raw(&format!("<details class=\"{class}\"><summary>")).text(title).raw("</summary>\n<div class=\"words\">");
    page.text(text.trim_end()).raw("</div>\n</details>\n");
}

/// Pictures that browsers take apart safely, if they are what they say; words for others.
fn picture(page: &mut Page, image: &Image) {
    const SAFE: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    let base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    let safe = SAFE.iter().find(|mime| **mime == image.mime).filter(|_| image.data.bytes().all(base64));
    match safe {
        Some(mime) => {
            page.raw("<p class=\"picture\"><img alt=\"a picture\" src=\"data:").raw(mime).raw(";base64,");
            page.text(&image.data).raw("\"></p>\n");
        }
        None => drop(page.raw("<p class=\"note\">[").text(&image.mime).raw("]</p>\n")),
    }
}
