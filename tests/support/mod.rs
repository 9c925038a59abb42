//! What several areas share: a world of one's own (`world`), a person at a terminal (`terminal`), and a pane of the
//! transcript (`transcript`).

pub mod dice;
pub mod hook;
pub mod kids;
pub mod kills;
pub mod memory;
pub mod model;
pub mod svg;
pub mod terminal;
pub mod transcript;
pub mod wait;
pub mod world;

pub use model::Model;
pub use terminal::Terminal;
pub use world::World;
