//! What several areas share.
