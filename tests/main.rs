//! One integration binary; a file an area.
mod support;

mod agent;
mod config;
mod layering;
mod lua;
mod play;
mod print;
mod providers;
mod readme;
mod screen;
mod sessions;
mod text;
mod tools;
mod transcript;
mod ui;
