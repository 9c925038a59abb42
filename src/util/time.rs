//! Times as they are written: RFC 3339, UTC, milliseconds.

use jiff::tz::TimeZone;
use std::time::SystemTime;

/// Now, as `2026-11-29T16:15:00.123Z`.
pub fn now() -> String {
    stamp(SystemTime::now())
}

pub fn stamp(at: SystemTime) -> String {
    let at = jiff::Timestamp::try_from(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{at:.3}")
}

/// The date where the user is, as `2026-11-29`.
pub fn today() -> String {
    jiff::Timestamp::now().to_zoned(local_zone()).date().to_string()
}

/// The zone of the machine, unless `TZ` says another. The library would look for its name in the whole database first,
/// which takes more time than all else that a date needs.
fn local_zone() -> TimeZone {
    let file = std::env::var_os("TZ").is_none().then(|| std::fs::read("/etc/localtime").ok()).flatten();
    file.and_then(|bytes| TimeZone::tzif("Local", &bytes).ok()).unwrap_or_else(TimeZone::system)
}

/// The time of an RFC 3339 text; none if it isn't one.
pub fn parse(text: &str) -> Option<SystemTime> {
    text.parse::<jiff::Timestamp>().ok().map(SystemTime::from)
}

/// A time as RFC 3339 text, for serde; one that can't be read is 1970.
pub mod rfc3339 {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::{SystemTime, UNIX_EPOCH};

    pub fn serialize<S: Serializer>(at: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::stamp(*at))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SystemTime, D::Error> {
        Ok(super::parse(&String::deserialize(deserializer)?).unwrap_or(UNIX_EPOCH))
    }
}

/// `3s`, `12m`, `5h`, `3d`, `2026-01-31` for a duration until now.
pub fn age(at: SystemTime) -> String {
    let seconds = at.elapsed().map(|d| d.as_secs()).unwrap_or(0);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        86_400..2_592_000 => format!("{}d", seconds / 86_400),
        _ => stamp(at).chars().take(10).collect(),
    }
}
