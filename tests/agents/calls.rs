//! Calls that tools make of other tools, through `Program::call_tool`.
