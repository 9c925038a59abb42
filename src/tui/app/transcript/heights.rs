//! Heights of the transcript's entries, with prefix sums in O(log n).
//!
//! A Fenwick tree: `tree[i - 1]` sums the `i & -i` heights that end at entry `i - 1`. Changing one height, finding the
//! line an entry begins at and finding the entry of a line all take O(log n); appending takes O(1) on average. Inserting
//! and removing rebuild what comes after, which in a transcript is nearly always next to nothing.

/// Heights in lines, by entry.
#[derive(Debug, Default, Clone)]
pub struct Heights {
    own: Vec<u32>,
    tree: Vec<usize>,
}

impl Heights {
    pub fn len(&self) -> usize {
        self.own.len()
    }

    pub fn get(&self, entry: usize) -> usize {
        self.own[entry] as usize
    }

    pub fn set(&mut self, entry: usize, lines: usize) {
        let (old, new) = (self.get(entry), clip(lines) as usize);
        self.own[entry] = clip(lines);
        if old == new {
            return;
        }
        let mut i = entry + 1;
        while i <= self.tree.len() {
            self.tree[i - 1] = self.tree[i - 1] - old + new;
            i += lowest_bit(i);
        }
    }

    pub fn push(&mut self, lines: usize) {
        self.own.push(clip(lines));
        let i = self.own.len();
        let (mut sum, mut step) = (clip(lines) as usize, 1);
        while step < lowest_bit(i) {
            sum += self.tree[i - step - 1];
            step *= 2;
        }
        self.tree.push(sum);
    }

    pub fn insert(&mut self, entry: usize, lines: usize) {
        let tail = self.cut(entry);
        self.push(lines);
        tail.into_iter().for_each(|h| self.push(h as usize));
    }

    pub fn remove(&mut self, entry: usize) {
        let tail = self.cut(entry);
        tail.into_iter().skip(1).for_each(|h| self.push(h as usize));
    }

    /// Lines of all entries.
    pub fn total(&self) -> usize {
        self.above(self.len())
    }

    /// Lines before an entry.
    pub fn above(&self, entry: usize) -> usize {
        let (mut i, mut sum) = (entry, 0);
        while i > 0 {
            sum += self.tree[i - 1];
            i -= lowest_bit(i);
        }
        sum
    }

    /// The entry that holds a line, and the line's number in it; `(len, 0)` beyond the end.
    pub fn find(&self, line: usize) -> (usize, usize) {
        let (mut entry, mut rest) = (0, line);
        let mut step = self.len().checked_ilog2().map_or(0, |bits| 1 << bits);
        while step > 0 {
            let next = entry + step;
            if next <= self.len() && self.tree[next - 1] <= rest {
                rest -= self.tree[next - 1];
                entry = next;
            }
            step /= 2;
        }
        if entry == self.len() { (entry, 0) } else { (entry, rest) }
    }

    fn cut(&mut self, entry: usize) -> Vec<u32> {
        self.tree.truncate(entry);
        self.own.split_off(entry)
    }
}

fn clip(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}

fn lowest_bit(i: usize) -> usize {
    i & i.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(own: &[usize], line: usize) -> (usize, usize) {
        let mut rest = line;
        for (entry, h) in own.iter().enumerate() {
            if rest < *h {
                return (entry, rest);
            }
            rest -= h;
        }
        (own.len(), 0)
    }

    #[derive(Debug, Clone)]
    enum Step {
        Push(usize),
        Set(usize, usize),
        Insert(usize, usize),
        Remove(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..9usize).prop_map(Step::Push),
            (any::<usize>(), 0..9usize).prop_map(|(i, h)| Step::Set(i, h)),
            (any::<usize>(), 0..9usize).prop_map(|(i, h)| Step::Insert(i, h)),
            any::<usize>().prop_map(Step::Remove),
        ]
    }

    proptest! {
        #[test]
        fn sums_and_searches_equal_the_plain_list(steps in prop::collection::vec(step(), 1..80)) {
            let (mut heights, mut own) = (Heights::default(), Vec::<usize>::new());
            for step in steps {
                match step {
                    Step::Push(h) => { heights.push(h); own.push(h); }
                    Step::Set(i, h) if !own.is_empty() => { let i = i % own.len(); heights.set(i, h); own[i] = h; }
                    Step::Insert(i, h) => { let i = i % (own.len() + 1); heights.insert(i, h); own.insert(i, h); }
                    Step::Remove(i) if !own.is_empty() => { let i = i % own.len(); heights.remove(i); own.remove(i); }
                    _ => {}
                }
            }
            prop_assert_eq!(heights.total(), own.iter().sum::<usize>());
            for i in 0..=own.len() {
                prop_assert_eq!(heights.above(i), own[..i].iter().sum::<usize>());
            }
            for line in 0..heights.total() + 3 {
                prop_assert_eq!(heights.find(line), naive(&own, line));
            }
        }
    }
}
