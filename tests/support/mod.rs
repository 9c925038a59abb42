//! What several areas share.
pub mod transcript;
