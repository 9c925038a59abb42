//! `panto models`: what can be chosen, and what is missing for the rest.

use super::start::Start;
use crate::provider::{Listing, ModelSpec, Providers};
use crate::util::{paths::process_env, text::width};
use std::{io, io::Write};

pub fn providers(start: &Start) -> Providers {
    Providers::new(&start.config.options, &process_env, &start.paths.data.join("auth.json"))
}

pub fn run(start: &Start, out: &mut dyn Write) -> io::Result<()> {
    let (ready, missing): (Vec<_>, Vec<_>) = providers(start).list().into_iter().partition(|l| l.missing.is_none());
    table(ready.iter().chain(&missing), out)
}

fn table<'a>(models: impl Iterator<Item = &'a Listing>, out: &mut dyn Write) -> io::Result<()> {
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

fn row(Listing { spec, missing }: &Listing) -> [String; 6] {
    let price = |of: fn(&crate::conversation::Price) -> f64| match &spec.price {
        Some(price) => of(price).to_string(),
        None => "–".into(),
    };
    let note = match missing {
        Some(what) => format!("({what})"),
        None => levels(spec),
    };
    [
        spec.reference.to_string(),
        thousands(spec.context),
        thousands(spec.output),
        price(|p| p.input),
        price(|p| p.output),
        note,
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
        let listings =
            [Listing { spec: priced, missing: None }, Listing { spec: plain, missing: Some("set P_API_KEY".into()) }];
        let mut out = Vec::new();
        table(listings.iter(), &mut out).expect("written");
        let want = "model        window  output  $ in  $ out  thinking\n\
                    p:long-name    128k      8k  0.25      3  off low medium high\n\
                    p:m            128k      8k     –      –  (set P_API_KEY)\n";
        assert_eq!(String::from_utf8(out).expect("text"), want);
    }
}
