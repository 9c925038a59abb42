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

#[tokio::test]
async fn a_file_that_somebody_truncates_is_gone_on_with() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    save(&mut log, vec![user("Q1"), answer("A1")]).await;
    let path = log.path().unwrap().to_owned();
    let length = fs::metadata(&path).unwrap().len();
    fs::File::options().write(true).open(&path).unwrap().set_len(length - 20).unwrap();
    save(&mut log, vec![user("Q2")]).await;
    let loaded = load(&path).unwrap();
    // What was cut is lost; what came after it is on a line of its own.
    assert_eq!(said(&loaded), ["Q1", "Q2"]);
    assert_eq!(loaded.warnings, ["1 line skipped (line 3)"]);
    fs::File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
    save(&mut log, vec![answer("A2")]).await;
    log.close().await.unwrap();
    let (_log, loaded) = Log::open(&path).unwrap();
    assert_eq!((said(&loaded), loaded.header.id), (vec!["A2".to_owned()], log.id().to_owned()));
}

#[tokio::test]
async fn where_another_file_took_the_place_of_the_session_it_is_gone_on_with() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    save(&mut log, vec![user("Q1"), answer("A1 tipo")]).await;
    let path = log.path().unwrap().to_owned();
    // As an editor saves: another file under the old name.
    let other = path.with_extension("tmp");
    fs::write(&other, fs::read_to_string(&path).unwrap().replace("tipo", "typo")).unwrap();
    fs::rename(&other, &path).unwrap();
    save(&mut log, vec![user("Q2")]).await;
    assert_eq!(said(&load(&path).unwrap()), ["Q1", "A1 typo", "Q2"]);
}

#[tokio::test]
async fn a_file_that_was_moved_away_stays_the_one_that_is_written() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    save(&mut log, vec![user("Q1")]).await;
    let moved = place.path("moved.jsonl");
    fs::rename(log.path().unwrap(), &moved).unwrap();
    save(&mut log, vec![answer("A1")]).await;
    assert_eq!(said(&load(&moved).unwrap()), ["Q1", "A1"]);
    assert!(!log.path().unwrap().exists());
}

/// The lock is where another process would look for it, and it is gone from there.
#[tokio::test]
async fn moving_the_folder_of_sessions_takes_the_lock_away() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    save(&mut log, vec![user("Q1")]).await;
    fs::rename(place.sessions(), place.path("data/moved")).unwrap();
    assert_eq!(log.append(vec![answer("A1")], Durability::Synced).await, Ack::Refused);
    assert_eq!(*log.status().borrow(), Status::Compromised);
    log.close().await.unwrap();
    assert!(!place.sessions().exists());
    let moved = Store::new(&place.path("data")).newest(&place.cwd());
    assert_eq!(moved, None);
}

#[tokio::test]
async fn the_clock_may_jump_back_between_two_runs() {
    let place = Place::new();
    let path = place.past(&["Q1", "A1"]);
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("2025-01-02", "2099-01-02")).unwrap();
    let (mut log, _) = Log::open(&path).unwrap();
    save(&mut log, vec![user("Q2"), answer("A2")]).await;
    log.close().await.unwrap();
    assert_eq!(said(&load(&path).unwrap()), ["Q1", "A1", "Q2", "A2"]);
}

#[test]
fn where_nothing_may_be_written_it_opens_and_what_is_said_waits() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    let output = child("part_where_nothing_may_be_written", &place.path("data")).wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(said(&load(&path).unwrap()), ["Q", "A", "Q2", "Q3"]);
}

/// Gives up the rights of root, which no mode of a file keeps from anything.
fn become_nobody(folder: &Path) {
    // SAFETY: plain system calls.
    if unsafe { libc::geteuid() } != 0 {
        return;
    }
    let mut open = vec![folder.parent().unwrap().to_owned()];
    while let Some(path) = open.pop() {
        std::os::unix::fs::chown(&path, Some(65534), Some(65534)).unwrap();
        open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|e| e.path()));
    }
    // SAFETY: as above; it holds for all threads of the process.
    unsafe {
        assert_eq!(libc::setgid(65534), 0);
        assert_eq!(libc::setuid(65534), 0);
    }
}

fn may_write(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test]
#[ignore = "a part of another test"]
async fn part_where_nothing_may_be_written() {
    let data = data_of_child();
    become_nobody(&data);
    let store = Store::new(&data);
    let path = store.find("0198d").unwrap();
    let folder = path.parent().unwrap();

    // A folder: no lock can be made.
    may_write(folder, 0o500);
    let (mut log, loaded) = Log::open(&path).unwrap();
    assert_eq!(said(&loaded), ["Q", "A"]);
    let mut status = log.status();
    assert_eq!(*status.borrow(), Status::NotSaved { reason: "no permission to write there".into() });
    assert_eq!(log.append(vec![user("Q2")], Durability::Synced).await, Ack::Queued);
    may_write(folder, 0o700);
    status.wait_for(|s| *s == Status::Saved).await.unwrap();
    log.close().await.unwrap();

    // A file.
    may_write(&path, 0o400);
    let (mut log, _) = Log::open(&path).unwrap();
    let mut status = log.status();
    assert_eq!(log.append(vec![user("Q3")], Durability::Synced).await, Ack::Queued);
    assert_eq!(*status.borrow_and_update(), Status::NotSaved { reason: "no permission to write there".into() });
    assert!(matches!(log.close().await, Err(CloseError::NotSaved { entries: 1, .. })));
    may_write(&path, 0o600);
    status.wait_for(|s| *s == Status::Saved).await.unwrap();
    log.close().await.unwrap();
}

#[tokio::test]
async fn a_file_appears_with_its_header_or_not_at_all() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    let path = log.path().unwrap().to_owned();
    // A folder in its place: it cannot be made.
    fs::create_dir_all(&path).unwrap();
    assert_eq!(log.append(vec![user("Q")], Durability::Synced).await, Ack::Queued);
    let left = place.files();
    assert!(left.iter().all(|p| p.extension().is_some_and(|e| e == "lock")), "{left:?}");
    fs::remove_dir(&path).unwrap();
    save(&mut log, vec![answer("A")]).await;
    log.close().await.unwrap();
    assert_eq!(said(&load(&path).unwrap()), ["Q", "A"]);
    assert_eq!(place.files(), [path]);
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
