//! `kill -9` at random moments of scripted sessions: nothing that was acknowledged is lost, and every file opens.
//!
//! `cargo bench --profile dev --bench kill -- [KILLS] [SEED]`; 1000 kills unless told.

#[allow(dead_code)]
#[path = "../support/dice.rs"]
mod dice;
#[allow(dead_code)]
#[path = "../support/kills.rs"]
mod kills;
#[allow(dead_code)]
#[path = "../support/world.rs"]
mod world;

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let kills = numbers.first().map_or(1000, |n| *n as usize);
    let seed = numbers.get(1).copied().unwrap_or_else(|| u64::from(std::process::id()));
    println!("{kills} kills, seed {seed}");
    match kills::run(kills, seed, |report| println!("{report}")) {
        Ok(report) => println!("nothing was lost: {report}"),
        Err(why) => {
            eprintln!("{why}");
            std::process::exit(1);
        }
    }
}
