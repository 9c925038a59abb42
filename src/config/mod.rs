//! Configuration: raw layers (built-in, user, project, environment, flags) become one resolved `Options`.

mod options;

pub use options::*;
