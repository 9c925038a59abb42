//! The transcript pane: what is said and done, as a person sees it.

mod blocks;
mod folds;
mod follow;
mod hostile;
mod laws;
mod links;
mod pictures;
mod reading;
mod screens;
mod sizes;
mod speed;
mod stream;
