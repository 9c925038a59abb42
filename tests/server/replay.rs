//! Events fit the snapshot that they follow: whoever plays them onto it has what a fresh snapshot says.

use super::*;

/// The session as a client keeps it that only hears events.
struct Replica(Value);

impl Replica {
    fn items(&mut self) -> &mut Vec<Value> {
        self.0["transcript"].as_array_mut().expect("a transcript")
    }

    fn item(&mut self, id: &Value) -> &mut Value {
        let at = self.items().iter().position(|item| item["id"] == *id);
        let at = at.unwrap_or_else(|| panic!("an event about the item {id}, which nobody was told of"));
        &mut self.items()[at]
    }

    fn put(&mut self, item: &Value) {
        match self.items().iter().position(|known| known["id"] == item["id"]) {
            Some(at) => self.items()[at] = item.clone(),
            None => self.items().push(item.clone()),
        }
    }

    fn hear(&mut self, event: &Value) {
        let data = &event["data"];
        match event["event"].as_str().expect("a name") {
            "session_changed" => {
                let items = self.0["transcript"].take();
                self.0 = data["session"].clone();
                self.0["transcript"] = items;
            }
            "item_started" | "item_finished" => self.put(&data["item"]),
            "item_removed" => self.items().retain(|item| item["id"] != data["item_id"]),
            "assistant_delta" => {
                let (at, kind) = (data["index"].as_u64().expect("a place") as usize, data["kind"].as_str());
                let parts = self.item(&data["item_id"])["content"].as_array_mut().expect("parts");
                let kind = kind.expect("a kind");
                if at == parts.len() {
                    parts.push(match kind {
                        "tool_call" => json!({"type": kind, "id": "", "name": "", "input": {}}),
                        _ => json!({"type": kind, "text": ""}),
                    });
                }
                assert_eq!(parts[at]["type"], json!(kind), "{event}");
                let words = kind != "tool_call";
                if let Some(Value::String(text)) = parts[at].get_mut("text") {
                    text.push_str(data["delta"].as_str().expect("a text"));
                }
                if words && let Some(item) = self.item(&data["item_id"]).as_object_mut() {
                    item.remove("title");
                }
            }
            "item_updated" => self.update(data),
            _ => {}
        }
    }

    fn update(&mut self, data: &Value) {
        let item = self.item(&data["item_id"]);
        if let Some(title) = data.get("title") {
            item["title"] = title.clone();
        }
        if item["role"] != "tool" {
            return;
        }
        let text = match (data["append"].as_str(), data["content"].as_str()) {
            (Some(more), _) => said(item) + more,
            (None, Some(whole)) => whole.to_owned(),
            (None, None) => return,
        };
        item["content"] = json!([{"type": "text", "text": text}]);
    }
}

/// What of a session the two have to agree on: all but the clock.
fn essence(session: &Value) -> Value {
    let mut session = session.clone();
    let fields = session.as_object_mut().expect("a session");
    ["updated_at", "busy_ms"].iter().for_each(|clock| drop(fields.remove(*clock)));
    session
}

/// Somebody attaches at each gate, plays all events that follow, and is compared at the next gate and at the end.
fn agrees(seed: u64) {
    let shell = "for n in 1 2 3 4 5 6 7 8; do echo line $n; done";
    let script = format!(
        "seed = {seed}\nchunk = 3\n\
         [[turn]]\nsteps = [{{ thinking = \"let me think about it\" }}, {{ gate = \"a\" }}, {{ redacted = \"xyz\" }}, \
         {{ text = \"I look at it.\" }}, {{ gate = \"b\" }}, {{ tool = {{ name = \"std.shell\", input = {{ command = \"{shell}\" }} }} }}, {{ gate = \"d\" }}, \
         {{ tool = {{ name = \"std.ls\", input = {{ path = \".\" }} }} }}]\n\
         [[turn]]\nsteps = [{{ text = \"It is done,\" }}, {{ gate = \"c\" }}, {{ text = \" I think.\" }}]\n\
         [[turn]]\nsteps = [{{ text = \"Steered.\" }}]"
    );
    let (_world, model, server) = stage(&script);
    let (mut driver, id) = server.session();
    let start = driver.attach(&id);
    let mut watchers = vec![watch(&server, &id)];
    let turn = driver.send("prompt", json!({"session_id": id, "text": "go"}));
    for gate in ["a", "b", "d", "c"] {
        model.reached(gate);
        compare(&mut watchers, &id, gate);
        watchers.push(watch(&server, &id));
        if gate == "c" {
            driver.ask("steer", json!({"session_id": id, "text": "and now?"}));
        }
        model.open(gate);
    }
    let after = driver.result(turn)["session"].clone();
    assert_eq!(roles(&after), ["user", "assistant", "tool", "tool", "assistant", "user", "assistant"]);
    compare(&mut watchers, &id, "the end");

    let since = json!({"session_id": id, "epoch": start["epoch"], "revision": start["revision"]});
    let changes = driver.ask("changes", since);
    let now = driver.attach(&id);
    assert_eq!(changes["items"], now["transcript"], "all of it is new");
    assert_eq!(changes["revision"], now["revision"]);
    let none = json!({"session_id": id, "epoch": now["epoch"], "revision": now["revision"]});
    assert_eq!(driver.ask("changes", none)["items"], json!([]));
}

fn watch(server: &Server, id: &str) -> (Client, Replica) {
    let mut client = server.client();
    let replica = Replica(client.attach(id));
    (client, replica)
}

/// A fresh snapshot stands among the events at its place: what came before it makes what it says.
fn compare(watchers: &mut [(Client, Replica)], id: &str, when: &str) {
    for (n, (client, replica)) in watchers.iter_mut().enumerate() {
        let fresh = client.attach(id);
        client.events.drain(..).for_each(|event| replica.hear(&event));
        // The revision grows with each delta, too, and is told with the next change of the session.
        let (mut heard, mut fresh) = (essence(&replica.0), essence(&fresh));
        assert!(heard["revision"].as_u64() <= fresh["revision"].as_u64());
        heard["revision"].take();
        fresh["revision"].take();
        assert_eq!(heard, fresh, "watcher {n} at {when}");
    }
}

#[test]
fn events_played_onto_a_snapshot_make_the_next_one() {
    for seed in [1, 7, 42] {
        agrees(seed);
    }
}

#[test]
fn a_title_that_was_told_is_in_later_snapshots() {
    let script = "[[turn]]\nsteps = [{ text = \"I call.\" }, { tool = { name = \"own\", input = {} } }, { gate = \"written\" }]\n\
                  [[turn]]\nsteps = [{ text = \"END\" }]";
    let (world, model, server) = stage(script);
    world.user(
        "extensions/own.lua",
        r#"panto.register_tool{name = "own", description = "d", schema = {type = "object"}, handler = function(input, call)
            call:title("half way")
            while not panto.fs.stat("go") do panto.task.sleep(0.02) end
            return "done"
        end}"#,
    );
    let (mut driver, id) = server.session();
    let turn = driver.send("prompt", json!({"session_id": id, "text": "go"}));
    model.reached("written");
    driver.until("item_updated", |data| data["title"].is_string());
    let answer = server.client().attach(&id)["transcript"][1].clone();
    assert_eq!((&answer["status"], &answer["title"]), (&json!("streaming"), &json!("calling own")));
    model.open("written");
    let told = driver.until("item_updated", |data| data["title"] == "half way");
    let now = server.client().attach(&id)["transcript"].clone();
    assert_eq!((&now[2]["id"], &now[2]["title"]), (&told["item_id"], &json!("half way")));
    assert!(now[1].get("title").is_none(), "{now}");
    world.write("go", "");
    let after = driver.result(turn)["session"].clone();
    assert_eq!(after["transcript"][2]["status"], "complete");
}
