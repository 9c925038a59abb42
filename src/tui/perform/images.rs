//! Pictures for a prompt: files that were dropped, and what the clipboard holds.

use crate::conversation::Part;
use crate::tui::host::Clipboard;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What providers take of one picture.
const MOST: u64 = 5 << 20;

/// All of them, or why not.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Part>, String> {
    paths.iter().map(|path| one(path)).collect()
}

fn one(path: &Path) -> Result<Part, String> {
    let name = path.display();
    let mut bytes = vec![];
    let file = File::open(path).map_err(|e| format!("{name} cannot be read: {e}"))?;
    if !file.metadata().is_ok_and(|m| m.is_file()) {
        return Err(format!("{name} is no file"));
    }
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(|e| format!("{name} cannot be read: {e}"))?;
    part(&bytes, &name.to_string())
}

pub fn of_clipboard(clipboard: Clipboard) -> Result<Vec<Part>, String> {
    let Some(program) = clipboard.pastes_picture() else {
        return Err(
            "there is no program here that reads the clipboard (wl-paste, xclip): paste the path of a picture".into()
        );
    };
    let ran = Command::new(program[0]).args(&program[1..]).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = ran.map_err(|e| format!("{} cannot be run: {e}", program[0]))?;
    if !output.status.success() || output.stdout.is_empty() {
        return Err("there is no picture in the clipboard".into());
    }
    part(&output.stdout, "the clipboard").map(|part| vec![part])
}

fn part(bytes: &[u8], name: &str) -> Result<Part, String> {
    if bytes.len() as u64 > MOST {
        return Err(format!("{name} is larger than {} MB: make it smaller first", MOST >> 20));
    }
    let mime = mime(bytes).ok_or_else(|| format!("{name} is no PNG, JPEG, GIF or WebP picture"))?;
    Ok(Part::Image { mime: mime.into(), data: STANDARD.encode(bytes) })
}

/// By what it begins with: names lie.
fn mime(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).expect("written");
            path
        };
        let png = file("a.png", b"\x89PNG\r\n\x1a\nrest");
        assert!(matches!(read(&[png]).expect("a picture")[..], [Part::Image { ref mime, .. }] if mime == "image/png"));
        assert!(read(&[file("b.png", b"text")]).unwrap_err().contains("is no PNG"));
        assert!(read(&[folder.path().join("none.png")]).unwrap_err().contains("cannot be read"));
        assert!(read(&[folder.path().to_owned()]).is_err());
    }
}
