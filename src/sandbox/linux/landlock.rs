//! Rules of Landlock for a policy: writing only below the writable places, and where there are no namespaces, reading
//! only around the credentials.

use crate::sandbox::{Look, Namespaces, NetworkControl, Support, places, policy::DEVICES};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, PathFdError, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use std::{
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// Devices that compute.
const GRAPHICS: [&str; 10] = [
    "/dev/dri",
    "/dev/kfd",
    "/dev/nvidiactl",
    "/dev/nvidia-modeset",
    "/dev/nvidia-uvm",
    "/dev/nvidia-uvm-tools",
    "/dev/nvidia0",
    "/dev/nvidia1",
    "/dev/nvidia2",
    "/dev/nvidia3",
];

type Rights = BitFlags<AccessFs>;

/// The newest rights that are used here: later ones (connecting to sockets) are not held back.
fn known(support: &Support) -> ABI {
    ABI::from(support.landlock.min(8) as i32)
}

/// What is to be let through, by its path. What lies there is opened for each command anew: a rule is for a file or a
/// folder, and not for its name.
pub struct Rules {
    handled: Rights,
    scope: BitFlags<Scope>,
    network: BitFlags<AccessNet>,
    /// Of terminals; the child adds a rule for its own.
    terminal: Rights,
    places: Vec<(PathBuf, Rights)>,
}

impl Rules {
    /// The rules as the kernel takes them, and the rights for terminals.
    pub fn make(&self) -> Result<(OwnedFd, u64), String> {
        let made = self.made().map_err(|e| format!("Landlock refuses a rule: {e}"))?;
        let rules: Option<OwnedFd> = made.into();
        Ok((rules.ok_or("this kernel has no Landlock")?, self.terminal.bits()))
    }

    fn made(&self) -> Result<RulesetCreated, RulesetError> {
        let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(self.handled)?;
        if !self.scope.is_empty() {
            ruleset = ruleset.scope(self.scope)?;
        }
        if !self.network.is_empty() {
            ruleset = ruleset.handle_access(self.network)?;
        }
        self.places.iter().try_fold(ruleset.create()?, |ruleset, (place, rights)| add(ruleset, place, *rights))
    }
}

fn handled(support: &Support) -> Rights {
    let abi = known(support);
    match support.namespaces {
        Namespaces::None => (AccessFs::from_all(abi)) & !BitFlags::from(AccessFs::Execute),
        _ => AccessFs::from_write(abi),
    }
}

pub fn rules(look: &mut Look<'_>) -> Rules {
    let Look { policy, support, resolver, roots } = look;
    let abi = known(support);
    let cut = !policy.network && support.network == NetworkControl::Tcp;
    let handled = handled(support);
    let terminal = handled & (AccessFs::WriteFile | AccessFs::IoctlDev | AccessFs::ReadFile);
    // Not even root makes devices: a disk of his own making would be written past all of this.
    let write = AccessFs::from_write(abi) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let bare = support.namespaces == Namespaces::None;
    let denied = if bare { super::mounts::everywhere(policy.read_deny.iter(), resolver).0 } else { vec![] };
    let writable = roots.iter().flat_map(|root| around(root, &denied)).map(|place| (place, write));
    let devices = DEVICES.iter().chain(&GRAPHICS).map(|device| (PathBuf::from(device), terminal));
    let mut places: Vec<(PathBuf, Rights)> = writable.chain(devices).collect();
    if bare {
        // Names may be listed everywhere; what the files say is another right.
        places.extend([("/dev/pts".into(), terminal), ("/".into(), AccessFs::ReadDir.into())]);
        places.extend(around(Path::new("/"), &denied).into_iter().map(|place| (place, AccessFs::ReadFile.into())));
    }
    let network = if cut { AccessNet::from_all(abi) } else { BitFlags::EMPTY };
    Rules { handled, scope: Scope::from_all(abi), network, terminal, places }
}

/// What cannot be opened by us cannot be opened by the command either, and what has gone needs no rule. Of a file only the
/// rights count that files have.
fn add(ruleset: RulesetCreated, path: &Path, rights: Rights) -> Result<RulesetCreated, RulesetError> {
    let fd: Result<PathFd, PathFdError> = PathFd::new(path);
    let Ok(fd) = fd else { return Ok(ruleset) };
    ruleset.add_rule(PathBeneath::new(fd, rights))
}

/// The folder without the denied places: itself if none lies in it, else what lies beside them on the way. Links are left
/// out: what they lead to has its own place.
fn around(folder: &Path, denied: &[PathBuf]) -> Vec<PathBuf> {
    if places::under_any(folder, denied) {
        return vec![];
    }
    if !denied.iter().any(|d| places::under(d, folder)) {
        return vec![folder.to_owned()];
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let real = entries.filter(|e| e.file_type().is_ok_and(|t| !t.is_symlink()));
    real.flat_map(|e| around(&e.path(), denied)).collect()
}
