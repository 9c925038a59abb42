//! The pictures that are ready, and those that are wanted.
//!
//! A layout asks for a picture and gets its rows, or none: then it is made beside the loop, and the next layout has it.
//! The oldest go when all together take too much.

use super::{Canvas, Protocol, encode};
use crate::tui::text::Row;
use crate::util::picture;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of all rows: far more than fits on a screen.
const MOST: usize = 32 << 20;
/// Pictures that wait; others are asked for again when these are there.
const WAITING: usize = 8;
/// Columns of the widest picture.
const WIDEST: u16 = 60;
/// Bytes of a picture's data that tell it from others, in so many places.
const SAMPLES: usize = 64;

/// One a program, shared by all transcripts.
#[derive(Debug, Default)]
pub struct Pictures {
    canvas: Canvas,
    inner: Mutex<Inner>,
    /// Counts the pictures that have become ready.
    revision: AtomicU32,
}

#[derive(Debug, Default)]
struct Inner {
    /// None: it is being made, or cannot be read.
    known: HashMap<Key, Option<Ready>>,
    order: VecDeque<Key>,
    bytes: usize,
    wanted: Vec<Job>,
    waiting: usize,
}

#[derive(Debug, Clone)]
struct Ready {
    rows: Arc<Vec<Row>>,
    bytes: usize,
}

/// A picture by its data and the columns there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    data: u64,
    columns: u16,
}

/// A picture to be made.
#[derive(Debug)]
pub struct Job {
    key: Key,
    data: String,
}

impl Pictures {
    pub fn new(canvas: Canvas) -> Pictures {
        Pictures { canvas, ..Pictures::default() }
    }

    pub fn is_off(&self) -> bool {
        self.canvas.protocol == Protocol::Off
    }

    /// What a layout with pictures depends on.
    pub fn revision(&self) -> u32 {
        self.revision.load(Ordering::Acquire)
    }

    /// The rows of a picture (base64) in at most so many columns, if it is ready. If it is not, it is wanted from now on.
    pub fn rows(&self, data: &str, columns: usize) -> Option<Arc<Vec<Row>>> {
        let columns = u16::try_from(columns).unwrap_or(WIDEST).min(WIDEST);
        if self.is_off() || columns == 0 {
            return None;
        }
        let key = Key { data: fingerprint(data), columns };
        let mut inner = self.inner();
        match inner.known.get(&key) {
            Some(known) => known.as_ref().map(|ready| ready.rows.clone()),
            None => {
                if inner.waiting < WAITING {
                    inner.waiting += 1;
                    inner.known.insert(key, None);
                    inner.wanted.push(Job { key, data: data.to_owned() });
                }
                None
            }
        }
    }

    /// What is to be made.
    pub fn wanted(&self) -> Vec<Job> {
        std::mem::take(&mut self.inner().wanted)
    }

    /// Decodes a picture; takes its time. One that cannot be read stays words.
    pub fn make(&self, job: &Job) {
        let id = (job.key.data as u32 & 0x00ff_ffff) ^ u32::from(job.key.columns);
        let made =
            picture::read(&job.data).and_then(|read| encode::rows(&read, id.max(1), job.key.columns, self.canvas));
        let mut inner = self.inner();
        inner.waiting = inner.waiting.saturating_sub(1);
        if let Some(rows) = made {
            inner.keep(job.key, rows);
        }
        self.revision.fetch_add(1, Ordering::AcqRel);
    }

    /// A panic elsewhere while the lock was held leaves pictures as good as they were.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn keep(&mut self, key: Key, rows: Vec<Row>) {
        let bytes = rows.iter().map(Row::bytes).sum();
        self.bytes += bytes;
        self.order.push_back(key);
        self.known.insert(key, Some(Ready { rows: Arc::new(rows), bytes }));
        while self.bytes > MOST && self.order.len() > 1 {
            let Some(oldest) = self.order.pop_front() else { break };
            if let Some(Some(gone)) = self.known.remove(&oldest) {
                self.bytes -= gone.bytes;
            }
        }
    }
}

/// Tells pictures apart without reading megabytes.
fn fingerprint(data: &str) -> u64 {
    let (bytes, mut hasher) = (data.as_bytes(), DefaultHasher::new());
    bytes.len().hash(&mut hasher);
    let step = (bytes.len() / SAMPLES).max(1);
    bytes.chunks(step).for_each(|chunk| chunk[..chunk.len().min(SAMPLES)].hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::{Engine, engine::general_purpose::STANDARD};

    fn pictures() -> Pictures {
        Pictures::new(Canvas { protocol: Protocol::Blocks, ..Canvas::default() })
    }

    fn png(side: u32) -> String {
        let mut out = std::io::Cursor::new(vec![]);
        image::DynamicImage::new_rgb8(side, side).write_to(&mut out, image::ImageFormat::Png).expect("a picture");
        STANDARD.encode(out.into_inner())
    }

    #[test]
    fn a_picture_is_wanted_once_and_ready_when_it_was_made() {
        let (pictures, data) = (pictures(), png(40));
        assert!(pictures.rows(&data, 50).is_none() && pictures.rows(&data, 50).is_none());
        let wanted = pictures.wanted();
        assert_eq!((wanted.len(), pictures.wanted().len()), (1, 0));
        let before = pictures.revision();
        wanted.iter().for_each(|job| pictures.make(job));
        assert_ne!(pictures.revision(), before);
        assert_eq!(pictures.rows(&data, 50).expect("ready").len(), 2);
        assert_eq!(pictures.rows(&data, 0), None);
    }

    #[test]
    fn what_cannot_be_read_is_asked_for_once() {
        let pictures = pictures();
        assert!(pictures.rows("bm8gcGljdHVyZQ==", 50).is_none());
        pictures.wanted().iter().for_each(|job| pictures.make(job));
        assert!(pictures.rows("bm8gcGljdHVyZQ==", 50).is_none());
        assert!(pictures.wanted().is_empty());
    }

    #[test]
    fn off_wants_nothing_and_a_crowd_waits() {
        let off = Pictures::default();
        assert!(off.rows(&png(8), 50).is_none() && off.wanted().is_empty());
        let pictures = pictures();
        (1..20).for_each(|side| assert!(pictures.rows(&png(side), 50).is_none()));
        assert_eq!(pictures.wanted().len(), WAITING);
    }

    #[test]
    fn the_oldest_go_when_all_take_too_much() {
        let mut inner = Inner::default();
        let big = "x".repeat(MOST / 4);
        for data in 0..10 {
            let row = Row::styled(&big, Default::default());
            inner.keep(Key { data, columns: 1 }, vec![row]);
        }
        assert!(inner.bytes <= MOST && inner.known.len() < 5, "{} bytes of {}", inner.bytes, inner.known.len());
        assert!(inner.known.contains_key(&Key { data: 9, columns: 1 }));
    }
}
