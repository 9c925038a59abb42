//! Tokens and money.

use serde::{Deserialize, Serialize};

/// Tokens of one request, or summed over several. `input` excludes what was read from or written to the cache.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// Part of `output` that was reasoning, where the server tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// USD; none where the catalogue has no price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl Usage {
    /// All tokens that were in the window of the request.
    pub fn context(&self) -> u64 {
        [self.cache_read, self.cache_write, self.output].into_iter().fold(self.input, u64::saturating_add)
    }

    /// All tokens, in and out.
    pub fn tokens(&self) -> u64 {
        self.context()
    }

    /// Percent of what went in that was read from a prompt cache; none where nothing went in.
    pub fn cache_hits(&self) -> Option<u64> {
        let all = self.input + self.cache_read + self.cache_write;
        (self.cache_read * 100).checked_div(all)
    }

    pub fn is_empty(&self) -> bool {
        self.context() == 0
    }

    /// Adds another request. A cost that is unknown on one side stays what the other side knows.
    pub fn add(&mut self, other: &Usage) {
        self.input += other.input;
        self.output += other.output;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
        self.reasoning = sum(self.reasoning, other.reasoning, |a, b| a + b);
        self.cost = sum(self.cost, other.cost, |a, b| a + b);
    }
}

fn sum<T: Copy>(a: Option<T>, b: Option<T>, add: impl Fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(add(a, b)),
        (a, b) => a.or(b),
    }
}

/// USD per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
}

impl Price {
    pub fn cost(&self, usage: &Usage) -> f64 {
        let million = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        million(usage.input, self.input)
            + million(usage.output, self.output)
            + million(usage.cache_read, self.cache_read)
            + million(usage.cache_write, self.cache_write)
    }
}
