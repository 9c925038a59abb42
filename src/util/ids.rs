//! Ids: UUIDs of version 7, which sort by time of making.

/// A fresh id, lower case with hyphens.
pub fn fresh() -> String {
    uuid::Uuid::now_v7().to_string()
}
