//! A client of the socket, with an encoder and a decoder of its own.

use minicbor::{Decoder, Encoder, data::Type};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::{ErrorKind, Read, Write},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

/// However slow the machine: what has not come by then will not.
const PATIENCE: Duration = Duration::from_secs(40);

pub fn encode(value: &Value) -> Vec<u8> {
    let mut to = Encoder::new(vec![]);
    put(&mut to, value);
    to.into_writer()
}

fn put(to: &mut Encoder<Vec<u8>>, value: &Value) {
    match value {
        Value::Null => drop(to.null()),
        Value::Bool(yes) => drop(to.bool(*yes)),
        Value::Number(n) => match n.as_i64() {
            Some(n) => drop(to.i64(n)),
            None => drop(to.f64(n.as_f64().expect("a number"))),
        },
        Value::String(text) => drop(to.str(text)),
        Value::Array(all) => {
            let _ = to.array(all.len() as u64);
            all.iter().for_each(|one| put(to, one));
        }
        Value::Object(all) => {
            let _ = to.map(all.len() as u64);
            for (key, value) in all {
                let _ = to.str(key);
                put(to, value);
            }
        }
    }
}

fn decode(from: &mut Decoder<'_>) -> Value {
    let good = "good CBOR";
    match from.datatype().expect(good) {
        Type::Bool => from.bool().expect(good).into(),
        Type::Null => from.null().map(|()| Value::Null).expect(good),
        Type::F16 | Type::F32 | Type::F64 => from.f64().expect(good).into(),
        Type::String => from.str().expect(good).into(),
        Type::Array => {
            let n = from.array().expect(good).expect("a definite length");
            (0..n).map(|_| decode(from)).collect::<Vec<_>>().into()
        }
        Type::Map => {
            let n = from.map().expect(good).expect("a definite length");
            (0..n).map(|_| (from.str().expect(good).to_owned(), decode(from))).collect::<serde_json::Map<_, _>>().into()
        }
        _ => from.i64().expect(good).into(),
    }
}

pub fn framed(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).expect("a small frame").to_be_bytes(), bytes].concat()
}

pub fn frame(value: &Value) -> Vec<u8> {
    framed(&encode(value))
}

pub fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"type": "request", "id": id.into(), "method": method, "params": params})
}

pub struct Client {
    stream: UnixStream,
    pub greeting: Value,
    /// Events that nobody has waited for yet.
    pub events: Vec<Value>,
    /// Responses and events in the order in which they came, in words: `response 1`, `turn_ended`.
    pub order: Vec<String>,
    answers: HashMap<String, Value>,
    last: u64,
}

impl Client {
    pub fn connect(path: &Path) -> Client {
        let stream = UnixStream::connect(path).expect("a server");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let (events, order, answers) = (vec![], vec![], HashMap::new());
        Client { stream, greeting: Value::Null, events, order, answers, last: 0 }
    }

    #[track_caller]
    pub fn hello(&mut self, token: &str) {
        self.write(&frame(&json!({"type": "hello", "version": 1, "token": token})));
        self.greeting = self.next().expect("a greeting");
        assert_eq!(self.greeting["type"], "hello", "{}", self.greeting);
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server reads");
    }

    /// The same to a server that may not read it any more.
    pub fn try_write(&mut self, bytes: &[u8]) -> bool {
        self.stream.set_write_timeout(Some(PATIENCE)).is_ok() && self.stream.write_all(bytes).is_ok()
    }

    /// The next frame; none at the end of the connection.
    #[track_caller]
    pub fn next(&mut self) -> Option<Value> {
        let mut head = [0; 4];
        if !self.fill(&mut head) {
            return None;
        }
        let size = u32::from_be_bytes(head) as usize;
        assert!(size <= 16 << 20, "a frame of {size} bytes");
        let mut body = vec![0; size];
        if !self.fill(&mut body) {
            return None;
        }
        let mut decoder = Decoder::new(&body);
        let value = decode(&mut decoder);
        assert_eq!(decoder.position(), size, "nothing follows");
        Some(value)
    }

    #[track_caller]
    fn fill(&mut self, bytes: &mut [u8]) -> bool {
        match self.stream.read_exact(bytes) {
            Ok(()) => true,
            Err(e) if [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset].contains(&e.kind()) => false,
            Err(e) => panic!("no frame came: {e}; heard so far: {:?}", self.order),
        }
    }

    /// What comes until the connection is closed.
    #[track_caller]
    pub fn rest(&mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.next()).collect()
    }

    #[track_caller]
    fn hear(&mut self) {
        let frame = self.next().unwrap_or_else(|| panic!("the connection was closed; heard: {:?}", self.order));
        match frame["type"].as_str() {
            Some("response") => {
                self.order.push(format!("response {}", frame["id"]));
                self.answers.insert(frame["id"].to_string(), frame);
            }
            Some("event") => {
                self.order.push(frame["event"].as_str().unwrap_or_default().to_owned());
                self.events.push(frame);
            }
            _ => panic!("neither response nor event: {frame}"),
        }
    }

    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        self.write(&frame(&request(self.last, method, params)));
        self.last
    }

    #[track_caller]
    pub fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into().to_string();
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            self.hear();
        }
    }

    #[track_caller]
    pub fn result(&mut self, id: impl Into<Value>) -> Value {
        let answer = self.answer(id);
        assert_eq!(answer["ok"], true, "{answer}");
        answer["result"].clone()
    }

    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.result(id)
    }

    /// The message of a refusal with this code.
    #[track_caller]
    pub fn refused(&mut self, method: &str, params: Value, code: &str) -> String {
        let id = self.send(method, params);
        let answer = self.answer(id);
        assert_eq!((&answer["ok"], &answer["error"]["code"]), (&json!(false), &json!(code)), "{method}: {answer}");
        answer["error"]["message"].as_str().expect("a message").to_owned()
    }

    /// Hears until an event of this name fits, and forgets those before it. Its data.
    #[track_caller]
    pub fn until(&mut self, name: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let mut seen = 0;
        loop {
            if let Some(at) = self.events[seen..].iter().position(|e| e["event"] == name && fits(&e["data"])) {
                let event = self.events.drain(..=seen + at).next_back().expect("an event");
                return event["data"].clone();
            }
            seen = self.events.len();
            self.hear();
        }
    }

    /// Hears what is on its way: the answer to a request that does nothing comes behind it.
    #[track_caller]
    pub fn settle(&mut self, session_id: &str) {
        self.attach(session_id);
    }

    #[track_caller]
    pub fn create(&mut self, params: Value) -> String {
        self.ask("create", params)["session"]["id"].as_str().expect("an id").to_owned()
    }

    /// The session as it is now, whole.
    #[track_caller]
    pub fn attach(&mut self, session_id: &str) -> Value {
        self.ask("attach", json!({"session_id": session_id}))["session"].clone()
    }

    #[track_caller]
    pub fn prompt(&mut self, session_id: &str, text: &str) -> Value {
        self.ask("prompt", json!({"session_id": session_id, "text": text}))["session"].clone()
    }
}
