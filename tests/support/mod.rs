//! What several areas share: a world of one's own (`world`), and a person at a terminal (`terminal`).

pub mod terminal;
pub mod world;

pub use terminal::Terminal;
pub use world::World;
