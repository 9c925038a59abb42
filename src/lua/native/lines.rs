//! A page of a text file, read without taking in the rest of it.

use super::{places::Places, readable::Readable};
use std::{
    io::{self, BufRead, BufReader, Read},
    path::Path,
};
use tokio_util::sync::CancellationToken;

/// Bytes after a page that are looked through for the number of lines.
const COUNTED: u64 = 64 << 20;

/// Which lines, and how much of them.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The first line, from 1.
    pub offset: u64,
    pub limit: usize,
    /// Bytes in all.
    pub bytes: usize,
    /// Bytes of one line.
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Without their ends.
    pub lines: Vec<Vec<u8>>,
    /// How many bytes each lost, where some did.
    pub cut: Vec<(usize, u64)>,
    /// The file goes on after the last of them.
    pub more: bool,
    /// Lines of the file, where it isn't too long to tell.
    pub total: Option<u64>,
}

pub fn page(path: &Path, wanted: Wanted, skip: &Places, stop: &CancellationToken) -> io::Result<Page> {
    let mut reader = BufReader::with_capacity(1 << 16, Readable::open(path, false, skip, stop)?.0);
    let (mut page, mut seen, mut bytes) = (Page::default(), 0, 0);
    loop {
        let skip = seen + 1 < wanted.offset;
        let Some((line, lost)) = next_line(&mut reader, if skip { 0 } else { wanted.line })? else { break };
        seen += 1;
        if skip {
            continue;
        }
        let full = page.lines.len() == wanted.limit || bytes + line.len() > wanted.bytes && !page.lines.is_empty();
        if full {
            page.more = true;
            break;
        }
        bytes += line.len() + 1;
        if lost > 0 {
            page.cut.push((page.lines.len() + 1, lost));
        }
        page.lines.push(line);
    }
    page.total = count_rest(&mut reader)?.map(|rest| seen + rest);
    Ok(page)
}

/// The next line, at most `keep` bytes of it, and how many it lost; none at the end of the file.
fn next_line(reader: &mut impl BufRead, keep: usize) -> io::Result<Option<(Vec<u8>, u64)>> {
    let (mut line, mut lost, mut any) = (Vec::new(), 0, false);
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return Ok(any.then(|| finish(line, lost)));
        }
        any = true;
        let end = memchr::memchr(b'\n', chunk);
        let part = &chunk[..end.unwrap_or(chunk.len())];
        let kept = part.len().min(keep - line.len());
        line.extend_from_slice(&part[..kept]);
        lost += (part.len() - kept) as u64;
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(Some(finish(line, lost)));
        }
    }
}

/// Cuts at a character, and takes the carriage return away.
fn finish(mut line: Vec<u8>, mut lost: u64) -> (Vec<u8>, u64) {
    if lost == 0 && line.last() == Some(&b'\r') {
        line.pop();
    }
    if lost > 0 {
        let hold = super::text::unfinished(&line);
        line.truncate(line.len() - hold);
        lost += hold as u64;
    }
    (line, lost)
}

fn count_rest(reader: &mut impl BufRead) -> io::Result<Option<u64>> {
    let (mut lines, mut seen, mut last) = (0, 0, b'\n');
    let mut rest = reader.take(COUNTED);
    loop {
        let chunk = rest.fill_buf()?;
        let Some(&end) = chunk.last() else { break };
        lines += memchr::memchr_iter(b'\n', chunk).count() as u64;
        let used = chunk.len();
        (last, seen) = (end, seen + used as u64);
        rest.consume(used);
    }
    Ok((seen < COUNTED).then_some(lines + u64::from(last != b'\n')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8], offset: u64, limit: usize) -> Page {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        page(file.path(), Wanted { offset, limit, bytes: 20, line: 8 }, &Places::default(), &CancellationToken::new())
            .unwrap()
    }

    fn lines(page: &Page) -> Vec<&str> {
        page.lines.iter().map(|l| std::str::from_utf8(l).unwrap()).collect()
    }

    #[test]
    fn a_part_of_it() {
        let p = read(b"1\n2\r\n3\n4", 2, 2);
        assert_eq!((lines(&p), p.more, p.total), (vec!["2", "3"], true, Some(4)));
        let p = read(b"1\n2\n", 1, 9);
        assert_eq!((lines(&p), p.more, p.total), (vec!["1", "2"], false, Some(2)));
        let p = read(b"1\n2\n", 7, 9);
        assert_eq!((lines(&p), p.more, p.total), (vec![], false, Some(2)));
        assert_eq!(read(b"", 1, 9).total, Some(0));
    }

    #[test]
    fn only_files_and_only_as_long_as_somebody_waits() {
        let (on, off) = (CancellationToken::new(), CancellationToken::new());
        off.cancel();
        let wanted = Wanted { offset: 1, limit: 1, bytes: 20, line: 8 };
        let error = |path: &str, stop| page(Path::new(path), wanted, &Places::default(), stop).unwrap_err().to_string();
        assert_eq!(error("/dev/zero", &on), "it is a device, not a file");
        assert!(error("/proc/self/status", &off).contains("nobody waits"));
        assert_eq!(page(Path::new("/dev/null"), wanted, &Places::default(), &on).unwrap().total, Some(0));
    }

    #[test]
    fn bounded_in_bytes_and_width() {
        let p = read("123456\u{e9}x\n".repeat(5).as_bytes(), 1, 100);
        assert_eq!((lines(&p), p.more, p.total), (vec!["123456\u{e9}", "123456\u{e9}"], true, Some(5)));
        assert_eq!(p.cut, [(1, 1), (2, 1)]);
        let p = read("1234567\u{e9}\n".as_bytes(), 1, 100);
        assert_eq!((lines(&p), &p.cut[..]), (vec!["1234567"], &[(1, 2)][..]));
    }
}
