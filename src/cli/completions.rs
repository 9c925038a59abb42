//! `panto completions` and `panto man`: generated from the same tree as the parser.

use super::args::Args;
use clap::CommandFactory;
use std::{io, io::Write};

pub fn completions(shell: clap_complete::Shell, out: &mut dyn Write) -> io::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "panto", &mut script);
    out.write_all(&script)
}

/// One page for the program and each subcommand, one after the other.
pub fn man(out: &mut dyn Write) -> io::Result<()> {
    let mut command = Args::command();
    command.build();
    pages(&command, out)
}

fn pages(command: &clap::Command, out: &mut dyn Write) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    clap_mangen::Man::new(command.clone()).title(name).render(out)?;
    command.get_subcommands().filter(|c| c.get_name() != "help").try_for_each(|c| pages(c, out))
}
