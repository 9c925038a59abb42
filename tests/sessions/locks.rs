//! Who may write.

use super::*;
use panto::session::{LockError, OpenError, Status, StoreError, load};

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
