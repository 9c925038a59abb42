//! A session as one HTML file that needs nothing else.

use super::{Loaded, Piece, plain};
use std::fmt::Write;

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}\
header{color:gray}\
h2{font-size:1rem;margin:2rem 0 .5rem;border-top:1px solid #8884;padding-top:1rem}\
h2 time{font-weight:normal;color:gray}\
.text{white-space:pre-wrap;overflow-wrap:anywhere}\
pre{background:#8881;padding:.6rem;overflow-x:auto;font-size:.85rem}\
details{margin:.5rem 0}summary{cursor:pointer;color:gray}\
.failed>summary{color:#c33}\
.note{color:gray;white-space:pre-wrap}\
img{max-width:100%}";

pub fn write(title: &str, loaded: &Loaded, pieces: &[Piece]) -> String {
    let (title, header) = (escape(title), &loaded.header);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <h1>{title}</h1>\n<header>Session {} · {} · {}</header>\n",
        escape(&plain(&header.id)),
        escape(&plain(&header.timestamp)),
        escape(&plain(&header.cwd.to_string_lossy())),
    );
    for piece in pieces {
        write_piece(&mut out, piece);
    }
    out.push_str("</html>\n");
    out
}

fn write_piece(out: &mut String, piece: &Piece) {
    let written = match piece {
        Piece::Speaker { name, at } => writeln!(out, "<h2>{} <time>{}</time></h2>", escape(name), escape(at)),
        Piece::Text(text) => writeln!(out, "<div class=\"text\">{}</div>", escape(text.trim_end())),
        Piece::Thinking(text) => {
            writeln!(out, "<details><summary>thought</summary><div class=\"text\">{}</div></details>", escape(text))
        }
        Piece::Call { name, input, output, failed } => writeln!(
            out,
            "<details{}><summary>{}</summary><pre>{}</pre><pre>{}</pre></details>",
            if *failed { " class=\"failed\"" } else { "" },
            escape(name),
            escape(input),
            escape(output)
        ),
        Piece::Image { mime, data } => {
            writeln!(out, "<p><img alt=\"\" src=\"data:{};base64,{}\"></p>", escape(mime), escape(data))
        }
        Piece::Note(text) => writeln!(out, "<p class=\"note\">{}</p>", escape(text)),
    };
    written.expect("writing to a string cannot fail");
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
