//! `panto serve` over its unix socket, `panto rpc` and `panto acp` over their pipes, as clients see them.

mod acp;
mod approvals;
mod attach;
mod children;
mod client;
mod damage;
mod framing;
mod handover;
mod lives;
mod locks;
mod python;
mod reach;
mod replay;
mod rpc;
mod scripts;
mod shells;
mod sizes;
mod sockets;
mod turns;

use crate::support::{Model, World};
pub use client::Client;
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::Child,
};

/// A server that is killed with the value.
pub struct Server {
    child: Child,
    path: PathBuf,
    token: String,
}

impl Server {
    pub fn at(world: &World, name: &str) -> Server {
        Server::with(world, name, &[])
    }

    /// Ready when it is returned.
    fn with(world: &World, name: &str, flags: &[&str]) -> Server {
        let path = world.data().parent().expect("a folder").with_file_name("run").join(name);
        let args = [&["serve", "--socket", path.to_str().expect("UTF-8")], flags].concat();
        let mut child = world.spawn(&args);
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        if !line.starts_with("listening at ") {
            let mut why = String::new();
            let _ = child.stderr.take().expect("a pipe").read_to_string(&mut why);
            panic!("no server: {line}{why}");
        }
        let kept = fs::read_to_string(world.data().join("server/token")).unwrap_or_default();
        let token = world.env().get("PANTO_SERVER_TOKEN").cloned().unwrap_or(kept);
        Server { child, path, token: token.trim().to_owned() }
    }

    /// Someone who is welcome.
    pub fn client(&self) -> Client {
        let mut client = Client::connect(&self.path);
        client.hello(&self.token);
        client
    }

    /// Attached to a new session, in the server's own folder.
    pub fn session(&self) -> (Client, String) {
        let mut client = self.client();
        let id = client.create(json!({}));
        client.attach(&id);
        (client, id)
    }

    fn signal(&self, name: &str) {
        let done = std::process::Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(done.expect("kill runs").success());
    }

    /// SIGTERM; the exit code.
    pub fn stop(mut self) -> Option<i32> {
        self.signal("-TERM");
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A model that gives the same answer ever.
const ANSWERS: &str = "[[turn]]\ntimes = 0\nsteps = [{ text = \"ANSWER\" }]";

/// A world whose model says this, and a server in it.
fn stage(script: &str) -> (World, Model, Server) {
    let mut world = World::new();
    let model = Model::serve(&mut world, script);
    let server = Server::at(&world, "s.sock");
    (world, model, server)
}

/// Files below the folder of sessions whose names end so.
pub fn kept(world: &World, ending: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (vec![], vec![world.data().join("sessions")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.to_string_lossy().ends_with(ending) => found.push(path),
                false => {}
            }
        }
    }
    found
}

fn said(item: &Value) -> String {
    let parts = item["content"].as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

fn roles(session: &Value) -> Vec<&str> {
    session["transcript"].as_array().into_iter().flatten().filter_map(|item| item["role"].as_str()).collect()
}

/// Writes a session file as it lay there before; `lines` without header.
fn past(world: &World, id: &str, lines: impl IntoIterator<Item = Value>) -> PathBuf {
    let cwd = world.project();
    let plain: String =
        cwd.to_string_lossy().chars().map(|c| if c.is_alphanumeric() || "_.".contains(c) { c } else { '-' }).collect();
    let folder = world.data().join("sessions").join(format!("--{}--", plain.trim_matches('-')));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("20250102T030405Z_{id}.jsonl"));
    let head = json!({"type": "session", "version": 1, "id": id, "timestamp": "2025-01-02T03:04:05.678Z", "cwd": cwd});
    let text: String = std::iter::once(head).chain(lines).map(|line| format!("{line}\n")).collect();
    fs::write(&path, text).expect("a session file");
    path
}

/// Messages, each the child of the one before.
fn messages(messages: impl IntoIterator<Item = Value>) -> impl Iterator<Item = Value> {
    let at = "2025-01-02T03:04:05.678Z";
    messages.into_iter().enumerate().map(move |(n, message)| {
        let parent = n.checked_sub(1).map(|n| format!("e{n}"));
        json!({"type": "message", "id": format!("e{n}"), "parent_id": parent, "timestamp": at, "message": message})
    })
}

fn log(world: &World) -> String {
    fs::read_to_string(world.data().join("log/panto.log")).unwrap_or_default()
}

fn exists(path: impl AsRef<Path>) -> bool {
    path.as_ref().exists()
}
