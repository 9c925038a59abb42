//! branch
