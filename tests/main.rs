//! One integration binary; a file an area.
mod support;

mod agent;
mod agents;
mod config;
mod examples;
mod extensions;
mod hooks;
mod layering;
mod lua;
mod packages;
mod permissions;
mod play;
mod play_away;
mod play_background;
mod play_cases;
mod play_children;
mod play_drafts;
mod play_lua;
mod play_reading;
mod play_tree;
mod print;
mod providers;
mod readme;
mod rows;
#[cfg(target_os = "linux")]
mod sandbox;
mod screen;
mod server;
mod sessions;
mod subagents;
mod text;
mod tools;
mod transcript;
mod ui;
