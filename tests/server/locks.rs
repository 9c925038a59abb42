//! Who may write, what happens to a server that loses that, and what a client hears of trouble.

use super::*;

#[test]
fn a_session_that_another_process_has_is_locked_until_it_lets_go() {
    let (world, _model, one) = stage("[[turn]]\ntimes = 0\nsteps = [{ text = \"ANSWER\" }]");
    let two = Server::at(&world, "two.sock");
    let (mut holder, id) = one.session();
    holder.prompt(&id, "hello");
    let mut other = two.client();
    let told = other.refused("attach", json!({"session_id": id}), "session_locked");
    assert!(told.contains(&one.child.id().to_string()), "names the process: {told}");
    let row = other.ask("list", json!({}))["sessions"][0].clone();
    assert_eq!((&row["id"], &row["locked"], &row["epoch"]), (&json!(id), &json!(true), &json!(0)));

    let shown = other.ask("attach", json!({"session_id": id, "mode": "read_only"}))["session"].clone();
    assert_eq!((&shown["read_only"], &shown["locked"]), (&json!(true), &json!(false)));
    assert_eq!((shown["id"].clone(), said(&shown["transcript"][1])), (json!(id), "ANSWER".into()));
    other.refused("prompt", json!({"session_id": id, "text": "x"}), "session_locked");
    let fork = other.ask("fork", json!({"session_id": id}));
    assert!(fork["session"]["id"] != id, "{fork}");
    let mut watcher = two.client();
    other.ask("detach", json!({"session_id": id}));
    watcher.until("server_changed", |data| {
        data["snapshot"]["sessions"].as_array().into_iter().flatten().any(|row| row["id"] == id && row["epoch"] == 0)
    });

    let mut waiting = one.client();
    drop(holder);
    waiting.until("server_changed", |data| data["snapshot"]["sessions"].to_string().contains("\"epoch\":0"));
    other.attach(&id);
    other.prompt(&id, "mine now");
}

#[test]
fn a_released_session_is_read_only_here_and_another_process_goes_on() {
    let (world, model, one) =
        stage("[[turn]]\nsteps = [{ text = \"FIRST \" }, { gate = \"g\" }]\n[[turn]]\nsteps = [{ text = \"OTHER\" }]");
    let two = Server::at(&world, "two.sock");
    let (mut holder, id) = one.session();
    holder.send("prompt", json!({"session_id": id, "text": "hello"}));
    model.reached("g");
    let mut asks = one.client();
    asks.attach(&id);
    asks.ask("release", json!({"session_id": id, "by": "server two"}));
    holder.until("notice", |data| data["text"].to_string().contains("server two"));
    let now = holder.attach(&id);
    assert_eq!((&now["read_only"], &now["locked"], &now["phase"]), (&json!(true), &json!(false), &json!("idle")));
    holder.refused("prompt", json!({"session_id": id, "text": "x"}), "session_locked");
    let fork = holder.ask("fork", json!({"session_id": id}))["session"].clone();
    assert_eq!((roles(&fork), &fork["locked"]), (vec!["user", "assistant"], &json!(true)));
    let mut other = two.client();
    other.attach(&id);
    assert_eq!(
        said(other.prompt(&id, "more")["transcript"].as_array().and_then(|all| all.last()).expect("an item")),
        "OTHER"
    );
}

#[test]
fn a_lost_lock_ends_the_turn_and_another_process_may_open() {
    let (world, model, one) = stage(
        "[[turn]]\nsteps = [{ text = \"FIRST \" }, { gate = \"g\" }, { text = \"NEVER-KEPT\" }]\n[[turn]]\nsteps = [{ text = \"OTHER\" }]",
    );
    let two = Server::at(&world, "two.sock");
    let (mut client, id) = one.session();
    let turn = client.send("prompt", json!({"session_id": id, "text": "hello"}));
    model.reached("g");
    let file = kept(&world, ".jsonl")[0].clone();
    let before = fs::read(&file).expect("the session");
    fs::remove_file(&kept(&world, ".lock")[0]).expect("a lock");
    let ended = client.until("turn_ended", |_| true);
    assert!(ended["error"].to_string().contains("lock"), "{ended}");
    assert_eq!(client.result(turn)["session"]["locked"], false);
    client.refused("prompt", json!({"session_id": id, "text": "x"}), "session_locked");
    client.refused("rename", json!({"session_id": id, "name": "x"}), "session_locked");
    assert_eq!(fs::read(&file).expect("the session"), before, "nothing was kept, not even the error");
    let mut other = two.client();
    other.attach(&id);
    other.prompt(&id, "go on");
    assert!(kept(&world, ".lock").len() == 1, "the loser leaves the other's lock alone");
}

/// A session's folder leads nowhere until it is put back.
struct Away {
    folder: PathBuf,
    away: PathBuf,
}

impl Away {
    fn put(world: &World) -> Away {
        let folder = kept(world, ".jsonl")[0].parent().expect("a folder").to_owned();
        let away = folder.with_extension("away");
        fs::rename(&folder, &away).expect("moved");
        std::os::unix::fs::symlink(folder.file_name().expect("a name"), &folder).expect("a link");
        Away { folder, away }
    }

    fn back(self) {
        fs::remove_file(&self.folder).expect("removed");
        fs::rename(&self.away, &self.folder).expect("moved back");
    }
}

#[test]
fn a_release_that_fails_is_mended_by_the_next_one() {
    let (world, _model, one) = stage(ANSWERS);
    let two = Server::at(&world, "two.sock");
    let (mut holder, id) = one.session();
    holder.prompt(&id, "hello");
    let away = Away::put(&world);
    holder.refused("release", json!({"session_id": id, "by": "server two"}), "session_locked");
    away.back();
    let mut other = two.client();
    other.refused("attach", json!({"session_id": id}), "session_locked");
    holder.ask("release", json!({"session_id": id, "by": "server two"}));
    assert_eq!(other.attach(&id)["locked"], true);
}

#[test]
fn what_nobody_expected_is_told_to_clients_without_its_cause() {
    let (world, _model, server) = stage("[[turn]]\nsteps = [{ text = \"ANSWER\" }]");
    let (mut client, id) = server.session();
    client.prompt(&id, "hello");
    let away = Away::put(&world);
    let told = client.refused("rename", json!({"session_id": id, "name": "x"}), "internal");
    assert!(!told.contains('/') && !told.contains("symbolic") && told.contains("log"), "{told}");
    assert!(log(&world).contains("cannot be looked at"), "the log has the cause: {}", log(&world));
    away.back();
    let named = client.ask("rename", json!({"session_id": id, "name": "works again"}))["session"].clone();
    assert_eq!(named["name"], "works again");
}

#[test]
fn a_list_names_the_session_that_cannot_be_read() {
    let (world, _model, server) = stage(ANSWERS);
    past(
        &world,
        "0198d000-0000-7000-8000-00000000900d",
        messages([json!({"role": "user", "blocks": [{"type": "text", "text": "Q"}]})]),
    );
    let bad = "0198d000-0000-7000-8000-000000000bad";
    let path = past(&world, bad, []);
    fs::write(path, "this is no session\n").expect("spoilt");
    let mut client = server.client();
    let told = client.refused("list", json!({}), "session_unreadable");
    assert!(told.contains(bad), "{told}");
    let rows = client.ask("list", json!({"strict": false}))["sessions"].clone();
    let marked: Vec<bool> = rows.as_array().expect("rows").iter().map(|row| row.get("unreadable").is_some()).collect();
    assert_eq!(marked.iter().filter(|is| **is).count(), 1, "{rows}");
    assert_eq!(marked.len(), 2);
}
