//! Scripts of a session that a server has: what they fork is a session of its own, and nobody is taken anywhere.

use super::*;

/// Notes which session hears what, and a command that forks.
fn noting(world: &World) -> String {
    let at = world.data().join("heard");
    format!(
        r#"
        local s = panto.ext.session
        local function note(...)
            local f = assert(io.open({at:?}, "a"))
            f:write(table.concat({{...}}, " "), "\n")
            f:close()
        end
        for _, name in ipairs{{"startup", "session_start", "session_switch", "session_fork", "session_end"}} do
            panto.ext.on(name, function(e) note(name, e.session_id or "-", e.parent_session_id or "-", e.entry_id or "-") end)
        end
        panto.register_command{{name = "twin", description = "d", handler = function(args)
            local id = s.fork{{name = "Copy", entry_id = args ~= "" and args or nil}}
            panto.ext.ui.notify("FORK " .. id .. " here " .. panto.ext.session_info().session_id .. " " .. tostring(s.name()))
        end}}
        "#
    )
}

fn heard(world: &World, session: &str) -> Vec<String> {
    let all = fs::read_to_string(world.data().join("heard")).unwrap_or_default();
    all.lines().filter(|line| line.contains(session)).map(|line| line.replace(session, "IT")).collect()
}

/// Waits until the list has the session, open or no longer.
#[track_caller]
fn listed(watcher: &mut Client, id: &str, open: bool) -> Value {
    let row = |data: &Value| {
        let sessions = data["snapshot"]["sessions"].as_array().expect("sessions");
        sessions.iter().find(|row| row["id"] == id && (row["epoch"] != 0) == open).cloned()
    };
    let data = watcher.until("server_changed", |data| row(data).is_some());
    row(&data).expect("a row")
}

#[track_caller]
fn copied(client: &mut Client, id: &str, args: &str) -> Vec<String> {
    client.ask("run_command", json!({"session_id": id, "name": "twin", "args": args}));
    // What the script says and what all are told come in either order.
    let begins = ["an extension has made a fork", "FORK "];
    let which =
        |data: &Value| begins.iter().position(|words| data["text"].as_str().is_some_and(|t| t.starts_with(words)));
    let mut told = [const { String::new() }; 2];
    while told.iter().any(String::is_empty) {
        let notice = client.until("notice", |data| which(data).is_some());
        let text = notice["text"].as_str().expect("a text").to_owned();
        told[which(&notice).expect("one of them")] = text;
    }
    let [to_all, said] = told;
    let words: Vec<String> = said.split(' ').map(str::to_owned).collect();
    assert!(to_all.contains(&words[1]) && to_all.contains("/resume"), "{to_all}");
    words
}

#[test]
fn a_script_forks_into_another_session_and_its_clients_stay() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, ANSWERS);
    world.user("extensions/noting.lua", &noting(&world));
    let server = Server::at(&world, "s.sock");
    let mut watcher = server.client();
    let (mut client, id) = server.session();
    client.prompt(&id, "one");
    client.prompt(&id, "two");
    let words = copied(&mut client, &id, "");
    let fork = words[1].clone();
    assert_eq!(words[2..], ["here", id.as_str(), "nil"], "the session is what it was");
    assert_ne!(fork, id);
    // Nobody needs it yet: it is written, and closed.
    let row = listed(&mut watcher, &fork, false);
    assert_eq!((&row["name"], &row["messages"]), (&json!("Copy"), &json!(4)));
    let started = format!("session_fork IT {id} -");
    assert_eq!(heard(&world, &fork)[..3], ["startup IT - -", "session_start IT - -", &started]);
    let own = heard(&world, &id);
    assert_eq!(own.iter().filter(|line| line.starts_with("session") && line.contains("IT - -")).count(), 1, "{own:?}");
    // Whoever wants to goes there; the two go on apart.
    let there = client.attach(&fork);
    assert_eq!((roles(&there).len(), &there["name"], &there["locked"]), (4, &json!("Copy"), &json!(true)));
    assert_eq!(roles(&client.prompt(&fork, "three")).len(), 6);
    assert_eq!(roles(&client.attach(&id)).len(), 4);
    assert_eq!(kept(&world, ".jsonl").len(), 2);
}

#[test]
fn a_script_forks_up_to_an_entry_and_not_while_a_turn_runs() {
    let mut world = World::new();
    let model = Model::serve(
        &mut world,
        "[[turn]]\nsteps = [{ text = \"A\" }]\n[[turn]]\nsteps = [{ gate = \"g\" }, { text = \"B\" }]",
    );
    world.user("extensions/noting.lua", &noting(&world));
    let server = Server::at(&world, "s.sock");
    let mut watcher = server.client();
    let (mut client, id) = server.session();
    let run = |args: &str| json!({"session_id": id, "name": "twin", "args": args});
    let told = client.refused("run_command", run(""), "invalid_request");
    assert!(told.contains("nothing to fork"), "{told}");
    let first = client.prompt(&id, "one")["transcript"][0]["id"].as_str().expect("an id").to_owned();
    let turn = client.send("prompt", json!({"session_id": id, "text": "two"}));
    model.reached("g");
    let told = client.refused("run_command", run(""), "invalid_request");
    assert!(told.contains("panto.ext.session.fork: busy: a turn is running"), "{told}");
    model.open("g");
    client.result(turn);
    let told = client.refused("run_command", run("nothing-of-the-kind"), "invalid_request");
    assert!(told.contains("panto.ext.session.fork: session_unreadable"), "{told}");
    let fork = copied(&mut client, &id, &first)[1].clone();
    listed(&mut watcher, &fork, false);
    assert_eq!(roles(&client.attach(&fork)), ["user"]);
    assert_eq!(heard(&world, &fork)[2], format!("session_fork IT {id} {first}"));
}

#[test]
fn a_fork_that_forks_itself_when_it_is_ready_is_the_last() {
    let mut world = World::new();
    let _model = Model::serve(&mut world, ANSWERS);
    let at = world.data().join("ready");
    let code = format!(
        r#"panto.ext.on("ready", function()
            local ok, what = pcall(panto.ext.session.fork)
            local f = assert(io.open({at:?}, "a"))
            f:write(tostring(ok), " ", tostring(what), "\n")
            f:close()
        end)"#
    );
    world.user("extensions/forks.lua", &code);
    let said = |role: &str| json!({"role": role, "blocks": [{"type": "text", "text": "x"}]});
    past(&world, "0198d000-0000-7000-8000-000000000001", messages([said("user"), said("assistant")]));
    let server = Server::at(&world, "s.sock");
    let (mut watcher, mut client) = (server.client(), server.client());
    client.attach("0198d000-0000-7000-8000-000000000001");
    let told = client.until("notice", |data| data["text"].as_str().is_some_and(|text| text.contains("a fork of")));
    let text = told["text"].as_str().expect("a text");
    let fork = text.rsplit('(').next().expect("an id").trim_end_matches(')').to_owned();
    listed(&mut watcher, &fork, false);
    let lines = fs::read_to_string(at).expect("what happened");
    let lines: Vec<&str> = lines.lines().collect();
    assert!(lines.contains(&format!("true {fork}").as_str()), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("false") && line.contains("nobody has looked at")), "{lines:?}");
    assert_eq!(kept(&world, ".jsonl").len(), 2);
}
