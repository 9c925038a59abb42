//! What a sandbox holds on this system, and how to say so.

/// What `probe` found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// Whether commands can be sandboxed at all.
    pub available: bool,
    /// What is missing, in a sentence: why there is no sandbox, or why it is a weaker one.
    pub why: Option<String>,
    /// The version of Landlock's interface; 0 without it.
    pub landlock: u32,
    pub namespaces: Namespaces,
    pub network: NetworkControl,
}

/// How a view of the file system of its own is made for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespaces {
    /// Not at all: protected places are compared before and after instead.
    None,
    /// A mount namespace, which root may make.
    Mount,
    /// A user namespace that lets make a mount namespace.
    User,
}

/// How the network is taken from a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkControl {
    None,
    /// By Landlock: no TCP. UDP, and so the look-up of names, goes on.
    Tcp,
    /// A network of its own, with nothing but its own loopback.
    Namespace,
    /// All of it, by the system's sandbox.
    All,
}

impl Namespaces {
    pub fn name(self) -> &'static str {
        match self {
            Namespaces::None => "none",
            Namespaces::Mount => "mount",
            Namespaces::User => "user",
        }
    }
}

impl NetworkControl {
    pub fn name(self) -> &'static str {
        match self {
            NetworkControl::None => "none",
            NetworkControl::Tcp => "tcp",
            NetworkControl::Namespace => "namespace",
            NetworkControl::All => "all",
        }
    }
}

impl Support {
    pub fn none(why: impl Into<String>) -> Support {
        Support {
            available: false,
            why: Some(why.into()),
            landlock: 0,
            namespaces: Namespaces::None,
            network: NetworkControl::None,
        }
    }

    /// The same system, had it no namespaces: for tests of what is done then.
    pub fn without_namespaces(self) -> Support {
        let network = if self.landlock >= 4 { NetworkControl::Tcp } else { NetworkControl::None };
        let why = Some("namespaces are not to be used".into());
        Support { namespaces: Namespaces::None, network, why, ..self }
    }

    /// One line for `panto doctor`.
    pub fn describe(&self) -> String {
        let why = self.why.as_deref().unwrap_or("no reason is known");
        if !self.available {
            return format!("none: {why}; in mode `workspace` commands are asked about");
        }
        if self.landlock == 0 {
            return "sandbox-exec: writes, credentials, protected places and network".into();
        }
        let abi = self.landlock;
        let network = match self.network {
            NetworkControl::None => "the network cannot be switched off",
            NetworkControl::Tcp => "`network = false` holds for TCP only",
            NetworkControl::Namespace | NetworkControl::All => "`network = false` holds",
        };
        let mut words = vec![format!("Landlock (ABI {abi})")];
        match self.namespaces {
            Namespaces::None => words.push(format!(
                "no namespaces ({why}): changes of protected places are noticed afterwards, not prevented"
            )),
            Namespaces::Mount => words.push("mount namespace".into()),
            Namespaces::User => words.push("user and mount namespace".into()),
        }
        if abi < 2 {
            words.push("files cannot be moved from folder to folder before ABI 2".into());
        }
        if abi < 6 {
            words.push("signals to other processes and abstract sockets are not held back before ABI 6".into());
        }
        words.push(network.into());
        words.join(", ")
    }
}
