//! Fifty clients on one session while its model sends 200 deltas a second.
//!
//! `cargo bench --bench server`: CPU time of the server, the time from a delta's last byte at the provider to the last
//! client that has it (p50, p99), memory. `BENCH_SECONDS=60` takes longer than ten.

#[path = "../server/client.rs"]
#[allow(dead_code)]
mod client;

use client::Client;
use serde_json::json;
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    time::{Duration, Instant},
};

const CLIENTS: usize = 50;
const PER_SECOND: usize = 200;

/// Microseconds since the beginning: when a delta was sent, and when the last client had it.
struct Times {
    zero: Instant,
    sent: Vec<AtomicU64>,
    heard: Vec<AtomicU64>,
}

impl Times {
    fn new(deltas: usize) -> Times {
        let none = || (0..deltas).map(|_| AtomicU64::new(0)).collect();
        Times { zero: Instant::now(), sent: none(), heard: none() }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.zero.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

fn main() {
    let seconds = std::env::var("BENCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    let times = Arc::new(Times::new(seconds * PER_SECOND));
    let (go, gate) = mpsc::channel();
    let url = provider(times.clone(), gate);
    let home = tempfile::tempdir().expect("a folder");
    let (server, socket, token) = serve(home.path(), &url);
    let mut driver = hello(&socket, &token);
    let id = driver.create(json!({}));
    let ready = Arc::new(std::sync::Barrier::new(CLIENTS + 1));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (socket, token, id) = (socket.clone(), token.clone(), id.clone());
            let (times, ready) = (times.clone(), ready.clone());
            std::thread::spawn(move || listen(hello(&socket, &token), &id, &times, &ready))
        })
        .collect();
    ready.wait();
    let (cpu, begun) = (cpu(server.0.id()), Instant::now());
    driver.attach(&id);
    let turn = driver.send("prompt", json!({"session_id": id, "text": "go"}));
    go.send(()).expect("the provider lives");
    clients.into_iter().for_each(|client| client.join().expect("a client"));
    driver.result(turn);
    report(&times, cpu_since(server.0.id(), cpu), begun.elapsed(), server.0.id());
}

fn report(times: &Times, cpu: Duration, took: Duration, pid: u32) {
    let late = |(sent, heard): (&AtomicU64, &AtomicU64)| heard.load(Relaxed).saturating_sub(sent.load(Relaxed));
    let mut late: Vec<u64> = times.sent.iter().zip(&times.heard).map(late).collect();
    late.sort_unstable();
    let at = |percent: usize| late[(late.len() - 1) * percent / 100] as f64 / 1000.0;
    println!("{} deltas to {CLIENTS} clients in {:.1} s", late.len(), took.as_secs_f64());
    println!("to the last client: p50 {:.2} ms, p99 {:.2} ms, longest {:.2} ms", at(50), at(99), at(100));
    let share = 100.0 * cpu.as_secs_f64() / took.as_secs_f64();
    println!("server: {:.2} s of CPU ({share:.0} % of one), {}", cpu.as_secs_f64(), memory(pid));
}

/// Sends a delta every five milliseconds when it may go on, and says its number in it.
fn provider(times: Arc<Times>, gate: mpsc::Receiver<()>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a request");
        gate.recv().expect("a start");
        answer(stream, &times).expect("the server listens");
    });
    url
}

fn answer(mut stream: TcpStream, times: &Times) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?);
    let (mut line, mut size) = (String::new(), 0);
    while lines.read_line(&mut line)? > 2 {
        if let Some(length) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            size = length.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    lines.read_exact(&mut vec![0; size])?;
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    stream.set_nodelay(true)?;
    let begun = Instant::now();
    for (n, sent) in times.sent.iter().enumerate() {
        let due = begun + Duration::from_secs(1) * u32::try_from(n).unwrap_or(0) / PER_SECOND as u32;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let chunk = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": {"content": format!("#{n} ")}, "finish_reason": null}]});
        stream.write_all(format!("data: {chunk}\n\n").as_bytes())?;
        sent.store(times.now(), Relaxed);
    }
    let end = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    stream.write_all(format!("data: {end}\n\ndata: [DONE]\n\n").as_bytes())
}

/// The server ends with the value.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(home: &Path, url: &str) -> (Server, std::path::PathBuf, String) {
    let socket = home.join("s.sock");
    let mut command = Command::new(env!("CARGO_BIN_EXE_panto"));
    command.args(["serve", "--socket"]).arg(&socket).env_clear().current_dir(home).stdout(Stdio::piped());
    let env = [("PATH", "/usr/bin:/bin"), ("PANTO_BASE_URL", url), ("PANTO_API_KEY", "k"), ("PANTO_MODEL", "m")];
    command.envs(env).env("PANTO_BOOTSTRAP_NO_RECONCILE", "1").env("HOME", home).env("PANTO_HOME", home.join("data"));
    let mut child = command.spawn().expect("the program");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let token = fs::read_to_string(home.join("data/server/token")).expect("a token").trim().to_owned();
    (Server(child), socket, token)
}

fn hello(socket: &Path, token: &str) -> Client {
    let mut client = Client::connect(socket);
    client.hello(token);
    client
}

fn listen(mut client: Client, id: &str, times: &Times, ready: &std::sync::Barrier) {
    client.attach(id);
    ready.wait();
    while let Some(frame) = client.next() {
        match frame["event"].as_str() {
            Some("assistant_delta") => {
                let now = times.now();
                let text = frame["data"]["delta"].as_str().unwrap_or_default();
                // Pieces that came at once may have been put together.
                for n in text.split('#').skip(1).filter_map(|n| n.trim().parse::<usize>().ok()) {
                    times.heard[n].fetch_max(now, Relaxed);
                }
            }
            Some("turn_ended") => return,
            _ => {}
        }
    }
}

/// User and system time so far, in ticks of which there are a hundred a second.
fn cpu(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

fn cpu_since(pid: u32, before: u64) -> Duration {
    Duration::from_millis(10 * (cpu(pid) - before))
}

fn memory(pid: u32) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let lines = status.lines().filter(|line| line.starts_with("VmHWM") || line.starts_with("VmRSS"));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ")
}
