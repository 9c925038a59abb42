//! A rocks server: rockspecs and archives of one test, over HTTP on loopback.

use flate2::{Compression, write::GzEncoder};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

type Files = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// Serves until the test's process ends.
pub struct Server {
    pub url: String,
    files: Files,
    asked: Arc<Mutex<Vec<String>>>,
    rocks: BTreeMap<String, String>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (files, asked) = (Files::default(), Arc::<Mutex<Vec<String>>>::default());
        let (served, heard) = (files.clone(), asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &served, &heard);
            }
        });
        Server { url, files, asked, rocks: BTreeMap::new() }
    }

    /// What has been asked for so far: `GET /manifest-5.4`.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }

    pub fn put(&self, name: &str, bytes: impl Into<Vec<u8>>) {
        self.files.lock().expect("no panic").insert(format!("/{name}"), bytes.into());
    }

    /// A rock of one archive; `build` and what else a rockspec has.
    pub fn rock(&mut self, name: &str, files: &[(&str, &str)], rest: &str) {
        self.rock_with(name, files, &format!("source = {{ url = {:?} }}\n{rest}", self.archive_url(name)));
    }

    pub fn archive_url(&self, name: &str) -> String {
        format!("{}/{name}-1.0.tar.gz", self.url)
    }

    /// The same with a `source` of one's own.
    pub fn rock_with(&mut self, name: &str, files: &[(&str, &str)], rest: &str) {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (file, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            archive.append_data(&mut header, format!("{name}-1.0/{file}"), text.as_bytes()).expect("in memory");
        }
        let archive = archive.into_inner().and_then(GzEncoder::finish).expect("in memory");
        self.put(&format!("{name}-1.0.tar.gz"), archive);
        let rockspec = format!("package = {name:?}\nversion = \"1.0-1\"\n{rest}\n");
        self.put(&format!("{name}-1.0-1.rockspec"), rockspec);
        self.rocks.insert(name.into(), "1.0-1".into());
        self.publish();
    }

    fn publish(&self) {
        let mut text = String::from("commands = {}\nmodules = {}\nrepository = {\n");
        for (name, version) in &self.rocks {
            let line = format!("  [{name:?}] = {{ [{version:?}] = {{ {{ arch = \"rockspec\" }} }} }},");
            writeln!(text, "{line}").expect("a String");
        }
        text.push_str("}\n");
        self.put("manifest-5.4", text.clone());
        self.put("manifest", text);
    }
}

fn answer(mut stream: TcpStream, files: &Files, asked: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    for line in lines {
        if line.is_empty() {
            break;
        }
    }
    let mut words = request.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    asked.lock().expect("no panic").push(format!("{method} {path}"));
    let found = files.lock().expect("no panic").get(path).cloned();
    let (status, body) = found.map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let body = if method == "HEAD" { Vec::new() } else { body };
    // A client that has gone away is no failure of the test.
    let _ = stream.write_all(&[head.as_bytes(), &body].concat());
}
