//! Ids: UUIDs of version 7, which sort by time of making.

/// A fresh id, lower case with hyphens.
pub fn fresh() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// Text that nobody guesses: 244 random bits.
pub fn secret() -> String {
    format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple())
}
