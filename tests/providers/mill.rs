//! A seeded mutator of recorded streams: bytes, events and the values in their JSON.

use panto::config::Dialect;

pub struct Mill(u64);

/// What stands in the place of a value of the JSON.
const ODD: [&str; 16] = [
    "null",
    "true",
    "-1",
    "1e999",
    "18446744073709551616",
    "\"\"",
    "\"\\ud83d\"",
    "[]",
    "{}",
    "[null]",
    "[[[[]]]]",
    "{\"a\":{}}",
    "\"{}\"",
    "\"<think>\"",
    "\"\\u0000\"",
    "0",
];
/// What is put in somewhere.
const BITS: [&str; 16] = [
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "data: ",
    "event: error\n",
    ":",
    "\u{feff}",
    "[DONE]",
    "data: [DONE]\n\n",
    "{",
    "}",
    "\"",
    "\\",
    "</think>",
    "data: null\n\n",
];

impl Mill {
    pub fn new(seed: u64) -> Self {
        Mill(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap_or(0) % bound.max(1)
    }

    /// True once in so many times.
    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// The bytes in chunks of all sizes.
    pub fn cut<'a>(&mut self, mut bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let most = *self.pick(&[1, 3, 40, 400]);
        let mut chunks = Vec::new();
        while !bytes.is_empty() {
            let (chunk, rest) = bytes.split_at((1 + self.below(most)).min(bytes.len()));
            chunks.push(chunk);
            bytes = rest;
        }
        chunks
    }

    /// A few changes.
    pub fn grind(&mut self, mut body: Vec<u8>, others: &[(Dialect, Vec<u8>)]) -> Vec<u8> {
        for _ in 0..=self.below(5) {
            match self.below(8) {
                0 => self.flip(&mut body),
                1 => self.put_in(&mut body),
                2 => self.take_out(&mut body),
                3 => {
                    let other = self.pick(others).1.clone();
                    self.splice(&mut body, &other);
                }
                4 => body.truncate(self.below(body.len() + 1)),
                5 => body = self.events(&body),
                _ => self.value(&mut body),
            }
        }
        body
    }

    fn flip(&mut self, body: &mut [u8]) {
        if !body.is_empty() {
            let at = self.below(body.len());
            body[at] ^= 1 << self.below(8);
        }
    }

    fn put_in(&mut self, body: &mut Vec<u8>) {
        let at = self.below(body.len() + 1);
        let bit = self.pick(&BITS).bytes();
        body.splice(at..at, bit);
    }

    fn take_out(&mut self, body: &mut Vec<u8>) {
        let from = self.below(body.len() + 1);
        let to = (from + self.below(40)).min(body.len());
        body.drain(from..to);
    }

    fn splice(&mut self, body: &mut Vec<u8>, other: &[u8]) {
        let from = self.below(other.len());
        let part = &other[from..(from + self.below(300)).min(other.len())];
        let at = self.below(body.len() + 1);
        body.splice(at..at, part.iter().copied());
    }

    /// Drops, repeats and swaps whole events.
    fn events(&mut self, body: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(body).into_owned();
        let mut events: Vec<&str> = text.split_inclusive("\n\n").collect();
        let (a, b) = (self.below(events.len()), self.below(events.len()));
        match self.below(3) {
            _ if events.is_empty() => {}
            0 => drop(events.remove(a)),
            1 => events.insert(b, events[a]),
            _ => events.swap(a, b),
        }
        events.concat().into_bytes()
    }

    /// Puts something odd where a value of the JSON stands: behind a colon that follows a quote.
    fn value(&mut self, body: &mut Vec<u8>) {
        let colons: Vec<usize> = body.windows(2).enumerate().filter(|(_, w)| w == b"\":").map(|(n, _)| n + 2).collect();
        if colons.is_empty() {
            return;
        }
        let from = *self.pick(&colons);
        let to = end_of_value(&body[from..]) + from;
        let odd = self.pick(&ODD).bytes();
        body.splice(from..to, odd);
    }
}

/// Where the JSON value ends that a text begins with; the text may be no JSON at all.
fn end_of_value(text: &[u8]) -> usize {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<serde::de::IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        _ => 0,
    }
}
