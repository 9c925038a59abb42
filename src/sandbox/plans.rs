//! What was worked out for the latest policies. It serves the next command, too, if the disk gives the same answers to all
//! that was asked for it: where each place of a policy leads, and what is mounted.
//!
//! Nothing that stays is open: what a rule is for, and how the places are that the system does not hold, is looked at for
//! every command.

use super::{Namespaces, Policy, Prepared, Support, Unavailable, Watch, facts::Facts, system::Draft, watch::Loose};
use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// Nobody waits for another: a plan is taken out while the disk is asked, and a command that starts at the same time works
/// out its own.
#[derive(Default)]
pub struct Plans {
    kept: Mutex<VecDeque<Plan>>,
}

/// How many are kept: a workspace has two policies, and children may work elsewhere.
const KEPT: usize = 6;

struct Plan {
    policy: Policy,
    support: Support,
    cwd: PathBuf,
    draft: Draft,
    loose: Loose,
    facts: Facts,
}

impl Plans {
    /// What a child of this policy does before it becomes the command, with `cwd` as its working directory, and the places
    /// to compare afterwards.
    pub fn prepare(&self, policy: &Policy, support: &Support, cwd: &Path) -> Result<(Prepared, Watch), Unavailable> {
        if support.namespaces == Namespaces::None {
            // Rules then name whatever lies beside a credential: that is found out for every command.
            let mut look = policy.look(support);
            return Ok((look.prepare(cwd)?, look.watch()));
        }
        let plan = match self.take(policy, support, cwd).and_then(Plan::still) {
            Some(plan) => plan,
            None => Plan::new(policy, support, cwd)?,
        };
        let ready = (plan.draft.prepare()?, plan.loose.watch());
        self.keep(plan);
        Ok(ready)
    }

    fn take(&self, policy: &Policy, support: &Support, cwd: &Path) -> Option<Plan> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|plan| plan.is_for(policy, support, cwd))?;
        kept.remove(at)
    }

    fn keep(&self, plan: Plan) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front(plan);
        kept.truncate(KEPT);
    }
}

impl Plan {
    fn new(policy: &Policy, support: &Support, cwd: &Path) -> Result<Plan, Unavailable> {
        let mut look = policy.look(support);
        let (draft, loose) = (look.draft(cwd)?, look.loose());
        let facts = look.resolver.facts();
        Ok(Plan { policy: policy.clone(), support: support.clone(), cwd: cwd.to_owned(), draft, loose, facts })
    }

    fn is_for(&self, policy: &Policy, support: &Support, cwd: &Path) -> bool {
        self.cwd.as_os_str() == cwd.as_os_str() && self.support == *support && self.policy.says_the_same(policy)
    }

    /// Itself, if it would be the same today.
    fn still(mut self) -> Option<Plan> {
        (self.draft.holds() && self.facts.hold()).then_some(self)
    }
}
