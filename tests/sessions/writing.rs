//! Appending: order, durability, a disk that is full, a process that is killed.

use super::*;
use panto::session::{CloseError, Header, Status, load};
use std::{
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    process::{Child, Command, Stdio},
};

#[tokio::test]
async fn nothing_is_made_before_the_first_entry() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    assert_eq!(log.append(vec![], Durability::Synced).await, Ack::Saved);
    assert!(log.is_empty());
    log.close().await.unwrap();
    drop(Log::create(&place.store, &place.cwd()));
    assert!(!place.sessions().exists());
}

#[tokio::test]
async fn a_new_session_lies_where_the_design_says() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    save(&mut log, vec![user("Q1"), answer("A1")]).await;
    save(&mut log, vec![user("Q2")]).await;
    let path = log.path().unwrap().to_owned();
    let lock = PathBuf::from(format!("{}.lock", path.display()));
    assert!(lock.exists());
    log.close().await.unwrap();
    assert!(!lock.exists());

    let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap()), mode(&place.sessions())), (0o600, 0o700, 0o700));
    let encoded: String = place.cwd().to_str().unwrap()[1..].replace('/', "-");
    assert_eq!(path.parent().unwrap(), place.sessions().join(format!("--{encoded}--")));
    let (time, id) = path.file_stem().unwrap().to_str().unwrap().split_once('_').unwrap();
    assert_eq!(id, log.id());
    assert_eq!(uuid::Uuid::parse_str(id).unwrap().get_version_num(), 7);
    assert!(time.len() == 16 && time.ends_with('Z') && time.as_bytes()[8] == b'T', "{time}");

    let rows = rows(&path);
    let header: Header = serde_json::from_value(rows[0].clone()).unwrap();
    assert_eq!((header.id.as_str(), header.cwd), (id, place.cwd()));
    let ids: Vec<&Value> = rows.iter().map(|r| &r["id"]).collect();
    let parents: Vec<&Value> = rows[1..].iter().map(|r| &r["parent_id"]).collect();
    assert_eq!(parents, [&Value::Null, ids[1], ids[2]]);
}

#[tokio::test]
async fn entries_keep_the_order_in_which_they_were_appended() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    for n in 0..200 {
        drop(log.append(vec![user(&format!("{n}"))], Durability::Written));
    }
    log.close().await.unwrap();
    let texts: Vec<String> = (0..200).map(|n| n.to_string()).collect();
    assert_eq!(said(&load(log.path().unwrap()).unwrap()), texts);
    assert_eq!(log.append(vec![user("late")], Durability::Written).await, Ack::Refused);
}

#[tokio::test]
async fn dropping_a_log_writes_what_is_queued_and_lets_go() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    drop(log.append(vec![user("Q")], Durability::Written));
    let path = log.path().unwrap().to_owned();
    drop(log);
    let (_log, loaded) = Log::open(&path).unwrap();
    assert_eq!(said(&loaded), ["Q"]);
}

#[tokio::test]
async fn a_leaf_moves_the_tip() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    let first = user("Q1");
    let leaf = Entry::new(EntryKind::Leaf { target_id: first.id.clone() });
    save(&mut log, vec![first, answer("A1"), user("Q2"), leaf, answer("other A1")]).await;
    log.close().await.unwrap();
    assert_eq!(said(&load(log.path().unwrap()).unwrap()), ["Q1", "other A1"]);
}

#[tokio::test]
async fn an_ephemeral_session_leaves_nothing() {
    let place = Place::new();
    let mut log = Log::ephemeral(&place.cwd());
    save(&mut log, vec![user("Q")]).await;
    log.close().await.unwrap();
    assert_eq!((log.path(), place.files()), (None, vec![]));
}

#[tokio::test]
async fn x15_saving_goes_on_when_the_project_folder_is_gone() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    save(&mut log, vec![user("rm -rf it")]).await;
    fs::remove_dir(place.cwd()).unwrap();
    save(&mut log, vec![answer("gone")]).await;
    log.close().await.unwrap();
    let (_log, loaded) = Log::open(log.path().unwrap()).unwrap();
    assert_eq!(said(&loaded), ["rm -rf it", "gone"]);
    assert!(!loaded.header.cwd.exists());
}

#[tokio::test]
async fn r14_opening_changes_neither_bytes_nor_mtime() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    filetime::set_file_mtime(&path, filetime::FileTime::from_unix_time(1_700_000_000, 5)).unwrap();
    let state = || (fs::read(&path).unwrap(), fs::metadata(&path).unwrap().modified().unwrap(), place.files());
    let before = state();
    let (mut log, _) = Log::open(&path).unwrap();
    log.close().await.unwrap();
    drop(Log::open(&path).unwrap());
    assert_eq!(state(), before);
}

#[tokio::test]
async fn a_deleted_file_is_put_back() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    save(&mut log, vec![user("Q1")]).await;
    fs::remove_file(log.path().unwrap()).unwrap();
    save(&mut log, vec![answer("A1")]).await;
    assert_eq!(said(&load(log.path().unwrap()).unwrap()), ["Q1", "A1"]);
}

/// Starts this test binary again, for one of the parts below that are ignored otherwise.
fn child(part: &str, data: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", &format!("sessions::writing::{part}")]);
    command.env("PANTO_TEST_DATA", data).stdout(Stdio::piped()).stdin(Stdio::null());
    command.spawn().unwrap()
}

fn data_of_child() -> PathBuf {
    std::env::var_os("PANTO_TEST_DATA").expect("started by another test").into()
}

#[test]
fn a_kill_loses_no_acknowledged_entry() {
    let place = Place::new();
    let mut child = child("part_that_writes_until_it_is_killed", &place.path("data"));
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut acknowledged: Vec<String> = Vec::new();
    for line in lines {
        if let Some((_, text)) = line.split_once("acknowledged ") {
            acknowledged.push(text.to_owned());
        }
        if acknowledged.len() == 40 {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(acknowledged.len() >= 40);
    let path = place.store.newest(&place.path("data")).expect("a session");
    // The lock of the dead process is recovered silently.
    let (_log, loaded) = Log::open(&path).unwrap();
    assert_eq!(said(&loaded)[..acknowledged.len()], acknowledged);
}

#[tokio::test]
#[ignore = "a part of another test"]
async fn part_that_writes_until_it_is_killed() {
    let data = data_of_child();
    let mut log = Log::create(&Store::new(&data), &data);
    for n in 0.. {
        let durability = if n % 3 == 0 { Durability::Synced } else { Durability::Written };
        assert_eq!(log.append(vec![user(&format!("text {n}"))], durability).await, Ack::Saved);
        println!("acknowledged text {n}");
    }
}

#[test]
fn r09_a_full_disk_loses_nothing_and_writing_resumes() {
    let place = Place::new();
    let output = child("part_on_a_full_disk", &place.path("data")).wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let path = place.store.newest(&place.path("data")).expect("a session");
    let loaded = load(&path).unwrap();
    let lengths: Vec<usize> = said(&loaded).iter().map(String::len).collect();
    assert_eq!(lengths, [5, 100_000, 5, 4]);
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

/// No file may grow beyond this; stands for a disk that is full.
fn limit_files(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: plain system calls on values of ours; ignoring the signal turns it into an error of the write.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
}

#[tokio::test]
#[ignore = "a part of another test"]
async fn part_on_a_full_disk() {
    let data = data_of_child();
    limit_files(50_000);
    let mut log = Log::create(&Store::new(&data), &data);
    let mut status = log.status();
    save(&mut log, vec![user("small")]).await;
    let path = log.path().unwrap().to_owned();
    let before = fs::read(&path).unwrap();

    assert_eq!(log.append(vec![answer(&"x".repeat(100_000))], Durability::Synced).await, Ack::Queued);
    assert_eq!(log.append(vec![user("after")], Durability::Synced).await, Ack::Queued);
    let Status::NotSaved { reason } = status.borrow_and_update().clone() else { panic!("{status:?}") };
    assert!(reason.contains("larger than allowed"), "{reason}");
    assert_eq!(fs::read(&path).unwrap(), before, "half of an entry was left");
    assert!(matches!(log.close().await, Err(CloseError::NotSaved { entries: 2, .. })));

    limit_files(libc::RLIM_INFINITY);
    status.wait_for(|s| *s == Status::Saved).await.unwrap();
    save(&mut log, vec![user("last")]).await;
    log.close().await.unwrap();
}
