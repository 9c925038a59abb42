//! Who may write.

use super::*;
use panto::session::{CloseError, Holder, LockError, OpenError, Scope, Status, StoreError, load};

fn lock_of(path: &Path) -> PathBuf {
    format!("{}.lock", path.display()).into()
}

#[tokio::test]
async fn r06_a_second_opener_is_told_who_has_it_and_may_read_or_fork() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    let (mut log, _) = Log::open(&path).unwrap();
    let Err(OpenError::Locked(holder)) = Log::open(&path) else { panic!("not refused") };
    assert_eq!(holder.pid, std::process::id());
    let message = Log::open(&path).unwrap_err().to_string();
    assert!(message.contains(&holder.pid.to_string()) && message.contains("read-only"), "{message}");

    let mut reader = Log::read_only(&load(&path).unwrap());
    assert_eq!(reader.append(vec![user("no")], Durability::Written).await, Ack::Refused);
    let (fork, _) = Log::fork(&place.store, &path, None, &place.cwd()).unwrap();
    assert_ne!(fork.id(), log.id());
    assert!(matches!(place.store.rename(&path, "x"), Err(StoreError::Lock(LockError::Locked(_)))));
    assert!(matches!(place.store.delete(&path), Err(StoreError::Lock(LockError::Locked(_)))));

    log.close().await.unwrap();
    Log::open(&path).unwrap();
}

#[test]
fn r06_the_lock_of_a_dead_process_is_recovered_silently() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    fs::write(lock_of(&path), r#"{"pid":1,"host":"elsewhere"}"#).unwrap();
    let (_log, loaded) = Log::open(&path).unwrap();
    assert!(loaded.warnings.is_empty());
}

#[tokio::test]
async fn a_lost_lock_stops_all_writing_and_closing_still_works() {
    for replace in [false, true] {
        let place = Place::new();
        let mut log = Log::create(&place.store, &place.cwd());
        save(&mut log, vec![user("Q")]).await;
        let path = log.path().unwrap().to_owned();
        let before = fs::read(&path).unwrap();
        fs::remove_file(lock_of(&path)).unwrap();
        if replace {
            fs::write(lock_of(&path), "{}").unwrap();
        }
        assert_eq!(log.append(vec![answer("A")], Durability::Synced).await, Ack::Refused);
        assert_eq!(*log.status().borrow(), Status::Compromised);
        fs::remove_file(lock_of(&path)).ok();
        assert_eq!(log.append(vec![user("again")], Durability::Written).await, Ack::Refused);
        log.close().await.unwrap();
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[tokio::test]
async fn a_lock_file_of_somebody_else_is_left_alone() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    let (mut log, _) = Log::open(&path).unwrap();
    fs::remove_file(lock_of(&path)).unwrap();
    let (_other, _) = Log::open(&path).unwrap();
    log.close().await.unwrap();
    assert!(lock_of(&path).exists());
    assert!(matches!(Log::open(&path), Err(OpenError::Locked(_))));
}

#[tokio::test]
async fn a_lost_lock_is_seen_by_a_look_and_never_forgotten() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    log.check_lock().unwrap();
    save(&mut log, vec![user("Q")]).await;
    log.check_lock().unwrap();
    assert_eq!(*log.status().borrow(), Status::Saved);
    let path = log.path().unwrap().to_owned();
    fs::remove_file(lock_of(&path)).unwrap();
    log.check_lock().unwrap();
    assert_eq!(*log.status().borrow(), Status::Compromised);
    // Another process may have it meanwhile.
    let (mut other, _) = Log::open(&path).unwrap();
    save(&mut other, vec![user("theirs")]).await;
    assert_eq!(log.append(vec![answer("ours")], Durability::Synced).await, Ack::Refused);
    assert_eq!(*log.status().borrow(), Status::Compromised);
    log.close().await.unwrap();
    save(&mut other, vec![user("more of theirs")]).await;
    other.close().await.unwrap();
    assert_eq!(said(&load(&path).unwrap()), ["Q", "theirs", "more of theirs"]);
}

/// The folder of a session file leads nowhere until it is put back: a disk that does not answer.
struct Away {
    folder: PathBuf,
    away: PathBuf,
}

impl Away {
    fn put(path: &Path) -> Away {
        let folder = path.parent().unwrap().to_owned();
        let away = folder.with_extension("away");
        fs::rename(&folder, &away).unwrap();
        std::os::unix::fs::symlink(folder.file_name().unwrap(), &folder).unwrap();
        Away { folder, away }
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        fs::remove_file(&self.folder).unwrap();
        fs::rename(&self.away, &self.folder).unwrap();
    }
}

#[tokio::test]
async fn a_lock_that_cannot_be_looked_at_is_neither_held_nor_lost() {
    let place = Place::new();
    let mut log = Log::create(&place.store, &place.cwd());
    save(&mut log, vec![user("Q")]).await;
    let path = log.path().unwrap().to_owned();
    let away = Away::put(&path);
    assert!(log.check_lock().is_err());
    assert_eq!(log.append(vec![answer("A")], Durability::Synced).await, Ack::Queued);
    let Status::NotSaved { reason } = log.status().borrow().clone() else { panic!("{:?}", log.status()) };
    assert!(reason.contains("lock cannot be looked at"), "{reason}");
    drop(away);
    save(&mut log, vec![user("Q2")]).await;
    log.close().await.unwrap();
    assert_eq!(said(&load(&path).unwrap()), ["Q", "A", "Q2"]);
}

#[tokio::test]
async fn a_release_that_fails_is_an_error_that_closing_again_mends() {
    for written in [false, true] {
        let place = Place::new();
        let path = place.past(&["Q", "A"]);
        let (mut log, _) = Log::open(&path).unwrap();
        if written {
            save(&mut log, vec![user("Q2")]).await;
        }
        let away = Away::put(&path);
        assert!(matches!(log.close().await, Err(CloseError::Release(_))));
        drop(away);
        assert!(matches!(Log::open(&path), Err(OpenError::Locked(_))), "it still is held");
        log.close().await.unwrap();
        assert!(!lock_of(&path).exists());
        Log::open(&path).unwrap();
    }
}

#[test]
fn a_listing_says_when_a_lock_cannot_be_looked_at() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    let lock = lock_of(&path);
    std::os::unix::fs::symlink(lock.file_name().unwrap(), &lock).unwrap();
    let row = &place.store.list(Scope::All, &place.cwd(), None).unwrap()[0];
    assert_eq!(row.locked_by, None);
    assert!(row.damage.as_ref().is_some_and(|d| d.contains("whether it is open")), "{row:?}");
}

#[test]
fn a_holder_on_another_host_is_not_taken_for_this_process() {
    let place = Place::new();
    let path = place.past(&["Q", "A"]);
    let (_log, _) = Log::open(&path).unwrap();
    let far = Holder { pid: std::process::id(), host: "build-7".into(), socket: None };
    fs::write(lock_of(&path), serde_json::to_vec(&far).unwrap()).unwrap();
    let row = &place.store.list(Scope::All, &place.cwd(), None).unwrap()[0];
    assert_eq!(row.locked_by, Some(0));
    let message = Log::open(&path).unwrap_err().to_string();
    assert!(message.contains(&format!("process {} on build-7", far.pid)), "{message}");
}

#[tokio::test]
async fn the_lock_says_where_its_holder_takes_requests() {
    let place = Place::new();
    let socket = place.path("run/panto.sock");
    let serving = place.store.clone().serving_at(Some(socket.clone()));
    let mut fresh = Log::create(&serving, &place.cwd());
    save(&mut fresh, vec![user("Q")]).await;
    let path = fresh.path().unwrap().to_owned();
    let Err(OpenError::Locked(holder)) = Log::open(&path) else { panic!("not refused") };
    assert_eq!(holder.socket, Some(socket.clone()));
    fresh.close().await.unwrap();
    let (_log, _) = serving.open(&path).unwrap();
    let holder = panto::session::holder(&path).unwrap().unwrap();
    assert_eq!((holder.pid, holder.socket), (std::process::id(), Some(socket)));
}
