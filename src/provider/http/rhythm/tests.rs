use super::*;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// Sends a number each so many milliseconds, and gives what was read when: milliseconds since the start.
async fn read(apart: &[u64]) -> Vec<u128> {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let apart = apart.to_vec();
    let start = Instant::now();
    tokio::spawn(async move {
        for ms in apart {
            sleep(Duration::from_millis(ms)).await;
            let _ = sender.send(());
        }
    });
    let (mut rhythm, mut times) = (Rhythm::default(), vec![]);
    while rhythm.next(receiver.recv()).await.is_some() {
        times.push(start.elapsed().as_millis());
    }
    times
}

#[tokio::test(start_paused = true)]
async fn what_comes_alone_is_taken_when_it_comes() {
    assert_eq!(read(&[50, 30, 200, 40]).await, [50, 80, 280, 320]);
}

#[tokio::test(start_paused = true)]
async fn what_trickles_is_taken_together() {
    assert_eq!(read(&[50, 5, 5, 5, 5, 5, 5, 5, 5, 5]).await, [50, 55, 75, 75, 75, 75, 80, 100, 100, 100]);
}

#[tokio::test(start_paused = true)]
async fn what_comes_at_once_is_taken_at_once() {
    assert_eq!(read(&[50, 0, 0, 0, 0, 0, 0]).await, [50; 7]);
}

/// Whoever reads it may have waited for other things, and does not fall behind.
#[tokio::test(start_paused = true)]
async fn a_fast_stream_is_read_on_after_a_wait() {
    let burst = [5, 0, 0, 0, 0, 0, 0, 0, 0];
    let times = read(&[&[50][..], &burst, &burst, &burst, &[20, 5]].concat()).await;
    assert_eq!(times[1], 55, "the first wait");
    assert_eq!(times[2..19], [[75; 8].as_slice(), &[75; 9]].concat()[..], "what came meanwhile");
    assert_eq!(times[28..], [85, 90], "no rest after so many");
}

#[tokio::test(start_paused = true)]
async fn a_rest_that_was_left_is_taken_up_again() {
    let mut rhythm = Rhythm::default();
    let ms = Duration::from_millis;
    rhythm.next(sleep(ms(5))).await;
    let left = tokio::time::timeout(ms(8), rhythm.next(async {})).await;
    assert!(left.is_err(), "it rests");
    let before = Instant::now();
    rhythm.next(async {}).await;
    assert_eq!((Instant::now() - before).as_millis(), 12);
}
