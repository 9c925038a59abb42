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

/// The rules, and the rights for terminals, which the child adds by itself.
pub fn rules(look: &mut Look<'_>) -> Result<(OwnedFd, u64), String> {
    let terminal = handled(look.support) & (AccessFs::WriteFile | AccessFs::IoctlDev | AccessFs::ReadFile);
    let made = made(look, terminal).map_err(|e| format!("Landlock refuses a rule: {e}"))?;
    let rules: Option<OwnedFd> = made.into();
    Ok((rules.ok_or("this kernel has no Landlock")?, terminal.bits()))
}

fn handled(support: &Support) -> Rights {
    let abi = known(support);
    match support.namespaces {
        Namespaces::None => (AccessFs::from_all(abi)) & !BitFlags::from(AccessFs::Execute),
        _ => AccessFs::from_write(abi),
    }
}

fn made(look: &mut Look<'_>, terminal: Rights) -> Result<RulesetCreated, RulesetError> {
    let Look { policy, support, resolver, roots } = look;
    let abi = known(support);
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(handled(support))?;
    if !Scope::from_all(abi).is_empty() {
        ruleset = ruleset.scope(Scope::from_all(abi))?;
    }
    if !policy.network && support.network == NetworkControl::Tcp {
        ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
    }
    let mut ruleset = ruleset.create()?;
    // Not even root makes devices: a disk of his own making would be written past all of this.
    let write = AccessFs::from_write(abi) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let denied = match support.namespaces {
        Namespaces::None => super::mounts::everywhere(policy.read_deny.iter(), resolver),
        _ => vec![],
    };
    for root in roots {
        for place in around(root, &denied) {
            ruleset = add(ruleset, &place, write)?;
        }
    }
    for device in DEVICES.iter().chain(&GRAPHICS).map(PathBuf::from) {
        ruleset = add(ruleset, &device, terminal)?;
    }
    if support.namespaces == Namespaces::None {
        ruleset = add(ruleset, Path::new("/dev/pts"), terminal)?;
        // Names may be listed everywhere; what the files say is another right.
        ruleset = add(ruleset, Path::new("/"), AccessFs::ReadDir.into())?;
        for place in around(Path::new("/"), &denied) {
            ruleset = add(ruleset, &place, AccessFs::ReadFile.into())?;
        }
    }
    Ok(ruleset)
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
