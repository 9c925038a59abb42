//! Lua patterns (manual, 6.4.1) by backtracking, with a count of steps. Pure: bytes in, positions out.
//!
//! Nothing here owns memory, since an error of Lua's jumps over the frames of its callers.

use super::class::{in_class, in_set};
use std::ffi::CStr;

/// Captures of a pattern.
pub(super) const CAPTURES: usize = 32;
/// Nested attempts; deeper ones are refused, as stock Lua does.
const DEPTH: usize = 200;
/// Steps between two looks at the clock: a fraction of a millisecond.
const LOOK: u32 = 1 << 16;

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The pattern is wrong, in the words of stock Lua.
    Pattern(&'static CStr),
    /// It refers to a capture (from 1) that isn't there.
    Capture(i32),
    /// It took too long.
    Stopped,
}

type Step<T> = Result<T, Fault>;

/// How far a capture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Open,
    /// `()`: only where it is.
    Position,
    Length(usize),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Capture {
    pub start: usize,
    pub extent: Extent,
}

pub(super) struct Matcher<'a> {
    subject: &'a [u8],
    pattern: &'a [u8],
    captures: [Capture; CAPTURES],
    count: usize,
    depth: usize,
    steps: u32,
    /// Says whether to stop.
    look: &'a dyn Fn() -> bool,
}

impl<'a> Matcher<'a> {
    pub fn new(subject: &'a [u8], pattern: &'a [u8], look: &'a dyn Fn() -> bool) -> Self {
        let none = Capture { start: 0, extent: Extent::Open };
        Matcher { subject, pattern, captures: [none; CAPTURES], count: 0, depth: 0, steps: 0, look }
    }

    /// The end of a match that begins at `start`.
    pub fn run(&mut self, start: usize) -> Step<Option<usize>> {
        (self.count, self.depth) = (0, 0);
        self.attempt(start, 0)
    }

    /// Those of the last match.
    pub fn captures(&self) -> &[Capture] {
        &self.captures[..self.count]
    }

    fn spend(&mut self, steps: usize) -> Step<()> {
        self.steps = self.steps.saturating_add(u32::try_from(steps).unwrap_or(u32::MAX));
        if self.steps < LOOK {
            return Ok(());
        }
        self.steps = 0;
        if (self.look)() { Err(Fault::Stopped) } else { Ok(()) }
    }

    fn attempt(&mut self, s: usize, p: usize) -> Step<Option<usize>> {
        if self.depth == DEPTH {
            return Err(Fault::Pattern(c"pattern too complex"));
        }
        self.depth += 1;
        let result = self.items(s, p);
        self.depth -= 1;
        result
    }

    /// Matches the items of the pattern one after the other; what has alternatives is an attempt of its own.
    fn items(&mut self, mut s: usize, mut p: usize) -> Step<Option<usize>> {
        loop {
            self.spend(1)?;
            let rest = &self.pattern[p..];
            let step = match *rest {
                [] => return Ok(Some(s)),
                [b'(', b')', ..] => return self.open(s, p + 2, Extent::Position),
                [b'(', ..] => return self.open(s, p + 1, Extent::Open),
                [b')', ..] => return self.close(s, p + 1),
                [b'$'] => return Ok((s == self.subject.len()).then_some(s)),
                [b'%', b'b', ..] => self.balanced(s, p + 2)?.map(|end| (end, p + 4)),
                [b'%', b'f', ..] => self.frontier(s, p + 2)?.map(|next| (s, next)),
                [b'%', digit @ b'0'..=b'9', ..] => self.again(s, digit)?.map(|end| (end, p + 2)),
                _ => {
                    let end = self.item_end(p)?;
                    let fits = self.fits(s, p, end);
                    match self.pattern.get(end) {
                        Some(b'*') => return self.most(s, s, p, end),
                        Some(b'+') if fits => return self.most(s, s + 1, p, end),
                        Some(b'+') => return Ok(None),
                        Some(b'-') => return self.least(s, p, end),
                        Some(b'?') => {
                            if fits && let Some(found) = self.attempt(s + 1, end + 1)? {
                                return Ok(Some(found));
                            }
                            Some((s, end + 1))
                        }
                        _ => fits.then_some((s + 1, end)),
                    }
                }
            };
            match step {
                Some(next) => (s, p) = next,
                None => return Ok(None),
            }
        }
    }

    /// As many as there are from `start` on, at least up to `least`, then fewer and fewer.
    fn most(&mut self, start: usize, least: usize, p: usize, end: usize) -> Step<Option<usize>> {
        let mut s = start;
        while self.fits(s, p, end) {
            s += 1;
        }
        self.spend(s - start)?;
        while s >= least {
            if let Some(found) = self.attempt(s, end + 1)? {
                return Ok(Some(found));
            }
            if s == least {
                break;
            }
            s -= 1;
        }
        Ok(None)
    }

    fn least(&mut self, mut s: usize, p: usize, end: usize) -> Step<Option<usize>> {
        loop {
            if let Some(found) = self.attempt(s, end + 1)? {
                return Ok(Some(found));
            }
            if !self.fits(s, p, end) {
                return Ok(None);
            }
            s += 1;
        }
    }

    fn open(&mut self, s: usize, p: usize, extent: Extent) -> Step<Option<usize>> {
        let slot = self.captures.get_mut(self.count).ok_or(Fault::Pattern(c"too many captures"))?;
        *slot = Capture { start: s, extent };
        self.count += 1;
        let found = self.attempt(s, p)?;
        if found.is_none() {
            self.count -= 1;
        }
        Ok(found)
    }

    fn close(&mut self, s: usize, p: usize) -> Step<Option<usize>> {
        let open = self.captures().iter().rposition(|c| c.extent == Extent::Open);
        let open = open.ok_or(Fault::Pattern(c"invalid pattern capture"))?;
        self.captures[open].extent = Extent::Length(s - self.captures[open].start);
        let found = self.attempt(s, p)?;
        if found.is_none() {
            self.captures[open].extent = Extent::Open;
        }
        Ok(found)
    }

    /// What a capture has matched, once more.
    fn again(&mut self, s: usize, digit: u8) -> Step<Option<usize>> {
        let number = i32::from(digit) - i32::from(b'0');
        let index = usize::from(digit).wrapping_sub(usize::from(b'1'));
        match self.captures().get(index).copied() {
            None | Some(Capture { extent: Extent::Open, .. }) => Err(Fault::Capture(number)),
            Some(Capture { extent: Extent::Position, .. }) => Ok(None),
            Some(Capture { start, extent: Extent::Length(length) }) => {
                self.spend(length)?;
                let text = &self.subject[start..start + length];
                Ok(self.subject[s..].starts_with(text).then_some(s + length))
            }
        }
    }

    /// `%bxy`.
    fn balanced(&mut self, s: usize, p: usize) -> Step<Option<usize>> {
        let &[open, close, ..] = &self.pattern[p..] else {
            return Err(Fault::Pattern(c"malformed pattern (missing arguments to '%b')"));
        };
        if self.subject.get(s) != Some(&open) {
            return Ok(None);
        }
        let mut level = 1usize;
        let mut found = None;
        let after = &self.subject[s + 1..];
        for (i, byte) in after.iter().enumerate() {
            match *byte {
                byte if byte == close => level -= 1,
                byte if byte == open => level += 1,
                _ => continue,
            }
            if level == 0 {
                found = Some(i + 1);
                break;
            }
        }
        self.spend(found.unwrap_or(after.len()))?;
        Ok(found.map(|length| s + 1 + length))
    }

    /// `%f[set]`; where the pattern goes on.
    fn frontier(&self, s: usize, p: usize) -> Step<Option<usize>> {
        if self.pattern.get(p) != Some(&b'[') {
            return Err(Fault::Pattern(c"missing '[' after '%f' in pattern"));
        }
        let end = self.item_end(p)?;
        let before = s.checked_sub(1).map_or(0, |i| self.subject[i]);
        let here = self.subject.get(s).copied().unwrap_or(0);
        let set = &self.pattern[p + 1..end - 1];
        Ok((!in_set(before, set) && in_set(here, set)).then_some(end))
    }

    /// Where the item at `p` ends: a character, a class or a set, without what follows it.
    fn item_end(&self, p: usize) -> Step<usize> {
        match self.pattern[p] {
            b'%' if p + 1 == self.pattern.len() => Err(Fault::Pattern(c"malformed pattern (ends with '%')")),
            b'%' => Ok(p + 2),
            b'[' => self.set_end(p + 1),
            _ => Ok(p + 1),
        }
    }

    /// A `]` right at the beginning is a member.
    fn set_end(&self, mut p: usize) -> Step<usize> {
        if self.pattern.get(p) == Some(&b'^') {
            p += 1;
        }
        loop {
            match self.pattern.get(p) {
                None => return Err(Fault::Pattern(c"malformed pattern (missing ']')")),
                Some(b'%') if p + 1 < self.pattern.len() => p += 2,
                Some(_) => p += 1,
            }
            if self.pattern.get(p) == Some(&b']') {
                return Ok(p + 1);
            }
        }
    }

    /// Whether the character at `s` is one of the item from `p` to `end`.
    fn fits(&self, s: usize, p: usize, end: usize) -> bool {
        let Some(&byte) = self.subject.get(s) else { return false };
        match self.pattern[p] {
            b'.' => true,
            b'%' => in_class(byte, self.pattern[p + 1]),
            b'[' => in_set(byte, &self.pattern[p + 1..end - 1]),
            plain => plain == byte,
        }
    }
}
