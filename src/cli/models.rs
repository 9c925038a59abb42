//! `panto models`: what can be chosen, and what is missing for the rest; with `--refresh` what the servers say.

use super::args::Args;
use super::failure::{Exit, Failure};
use super::scripts;
use super::start::Start;
use super::terminal::harmless;
use crate::backend::{Diagnostic, Extensions, offer_providers};
use crate::provider::{Listed, ModelSpec, Providers, Refreshed};
use crate::util::{paths::process_env, text::width};
use std::{
    io,
    io::{Write, stderr},
    sync::Arc,
};

pub fn providers(start: &Start) -> Providers {
    Providers::new(&start.config.options, Arc::new(process_env), &start.paths.data.join("auth.json"))
}

pub fn run(args: &Args, start: &Start, refresh: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let providers = loaded(args, start)?;
    let listed = if refresh { ask(&providers)? } else { providers.list() };
    let (ready, missing): (Vec<_>, Vec<_>) = listed.into_iter().partition(|l| l.missing.is_none());
    Ok(table(ready.iter().chain(&missing), out)?)
}

/// The providers with those that extensions bring.
pub fn loaded(args: &Args, start: &Start) -> Result<Providers, Failure> {
    let providers = providers(start);
    let lua = scripts::start(args, start, false);
    for Diagnostic { extension, message } in scripts::load(&lua, start.trust.allows())? {
        let _ = writeln!(stderr(), "panto: extension {}", harmless(&format!("{extension}: {message}")));
    }
    let extensions: Arc<dyn Extensions> = Arc::new(lua);
    offer_providers(&providers, &extensions, &start.config.options.network);
    Ok(providers)
}

/// Servers that don't answer are told; it is a failure only when none does.
fn ask(providers: &Providers) -> Result<Vec<Listed>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| Failure::new(Exit::Failed, format!("cannot start: {e}")))?;
    let mut listed = Vec::new();
    let mut failed = None;
    for Refreshed { provider, models, .. } in runtime.block_on(providers.refresh()) {
        match models {
            Ok(models) => listed.extend(models),
            Err(error) => {
                let _ = writeln!(stderr(), "panto: {provider}: {}", harmless(&error.message));
                failed = Some(Exit::from(error.kind));
            }
        }
    }
    match (failed, listed.is_empty()) {
        (Some(exit), true) => Err(Failure::new(exit, "no server has told its models")),
        (None, true) => Err(Failure::new(Exit::Authentication, "there is no provider to ask: set a key or a base URL")),
        _ => Ok(listed),
    }
}

fn table<'a>(models: impl Iterator<Item = &'a Listed>, out: &mut dyn Write) -> io::Result<()> {
    let head = ["model", "window", "output", "$ in", "$ out", "thinking"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(head).chain(models.map(row)).collect();
    let widths: [usize; 5] = std::array::from_fn(|i| rows.iter().map(|r| width(&r[i])).max().unwrap_or(0));
    for row in rows {
        for (i, (cell, columns)) in row.iter().zip(widths).enumerate() {
            let gap = " ".repeat(columns - width(cell));
            if i == 0 { write!(out, "{cell}{gap}")? } else { write!(out, "  {gap}{cell}")? }
        }
        writeln!(out, "  {}", row[5])?;
    }
    Ok(())
}

fn row(Listed { spec, missing }: &Listed) -> [String; 6] {
    let dollars = |usd: Option<f64>| usd.map_or_else(|| "–".into(), |usd| usd.to_string());
    [
        harmless(&spec.reference.to_string()).into_owned(),
        thousands(spec.context),
        thousands(spec.output),
        dollars(spec.price.map(|p| p.input)),
        dollars(spec.price.map(|p| p.output)),
        missing.as_ref().map_or_else(|| levels(spec), |what| format!("({what})")),
    ]
}

fn levels(spec: &ModelSpec) -> String {
    spec.thinking.iter().map(|level| level.name()).collect::<Vec<_>>().join(" ")
}

fn thousands(tokens: u64) -> String {
    match tokens {
        0..1000 => tokens.to_string(),
        _ => format!("{}k", tokens / 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{ModelRef, Price};

    #[test]
    fn models_are_a_table_with_unknown_costs_as_dashes() {
        let mut priced = ModelSpec::unknown(ModelRef::new("p", "long-name"));
        priced.price = Some(Price { input: 0.25, output: 3.0, ..Price::default() });
        let plain = ModelSpec::unknown(ModelRef::new("p", "m"));
        let listed =
            [Listed { spec: priced, missing: None }, Listed { spec: plain, missing: Some("set P_API_KEY".into()) }];
        let mut out = Vec::new();
        table(listed.iter(), &mut out).expect("written");
        let want = "model        window  output  $ in  $ out  thinking\n\
                    p:long-name    128k      8k  0.25      3  off low medium high\n\
                    p:m            128k      8k     –      –  (set P_API_KEY)\n";
        assert_eq!(String::from_utf8(out).expect("text"), want);
    }
}
