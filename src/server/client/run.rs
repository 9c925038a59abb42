//! The task that owns the connection of a face, and comes back when it is lost.

use super::address::Address;
use super::attachment::{Attachment, Pending, away};
use super::dial::{DialError, dial};
use super::opening::{Opening, Settings, Wanted};
use super::peer::{Incoming, Peer};
use crate::backend::{BackendError, Code, Command, Level, Link, Reply, Request};
use backon::{BackoffBuilder, ExponentialBuilder};
use serde_json::Map;
use std::{path::PathBuf, time::Duration};
use tokio::{
    sync::{
        mpsc::{self, UnboundedReceiver, UnboundedSender},
        oneshot,
    },
    time::{Instant, sleep, timeout},
};

/// Between the first attempts to come back, and between the later ones.
const SOON: Duration = Duration::from_millis(100);
const LATER: Duration = Duration::from_secs(5);
/// A connection that has lived for as long was a good one.
const GOOD: Duration = Duration::from_secs(10);
/// How long a server that ends takes from closing a session to closing the connection.
const CLOSING: Duration = Duration::from_millis(500);
/// How long answers are waited for before leaving.
const FAREWELL: Duration = Duration::from_secs(1);

/// A server, and a face that looks at one of its sessions.
pub struct Remote {
    link: Link,
    openings: UnboundedSender<(Wanted, Opening)>,
}

impl Remote {
    /// Connects; relative paths of the face mean `folder`.
    pub async fn connect(address: Address, folder: PathBuf) -> Result<Remote, DialError> {
        let peer = dial(&address).await?;
        let (requests, asked) = mpsc::unbounded_channel();
        let (events, told) = mpsc::unbounded_channel();
        let (openings, wanted) = mpsc::unbounded_channel();
        let attachment = Attachment::new(events, peer.out.clone(), folder);
        let face = Face { asked, wanted };
        tokio::spawn(Task { address, attachment, face, soon: waits() }.run(peer));
        Ok(Remote { link: Link { requests, events: told }, openings })
    }

    /// Opens a session: it is the first that the link tells of.
    pub async fn open(&self, wanted: Wanted, settings: Settings) -> Result<(), BackendError> {
        let (reply, opened) = oneshot::channel();
        let _ = self.openings.send((wanted, Opening::new(settings, Some(reply))));
        opened.await.unwrap_or_else(|_| Err(away())).map(drop)
    }

    /// The face's end.
    pub fn link(self) -> Link {
        self.link
    }
}

/// What comes from the face.
struct Face {
    asked: UnboundedReceiver<Request>,
    wanted: UnboundedReceiver<(Wanted, Opening)>,
}

struct Task {
    address: Address,
    attachment: Attachment,
    face: Face,
    soon: Waits,
}

type Waits = <ExponentialBuilder as BackoffBuilder>::Backoff;

fn waits() -> Waits {
    ExponentialBuilder::default().with_min_delay(SOON).with_max_delay(LATER).without_max_times().with_jitter().build()
}

/// Why a connection is over.
enum End {
    /// The face leaves; whoever waits for it.
    Left(Option<oneshot::Sender<Result<Reply, BackendError>>>),
    Lost(String),
}

impl Task {
    async fn run(mut self, mut peer: Peer) {
        loop {
            let since = Instant::now();
            match self.serve(&mut peer).await {
                End::Left(reply) => {
                    self.leave(peer).await;
                    reply.into_iter().for_each(|reply| drop(reply.send(Ok(Reply::Done))));
                    return;
                }
                End::Lost(why) => self.attachment.lost(&why),
            }
            drop(peer);
            if since.elapsed() > GOOD {
                self.soon = waits();
            }
            match self.come_back().await {
                Some(again) => peer = again,
                None => return,
            }
            self.attachment.regained(peer.out.clone());
        }
    }

    async fn serve(&mut self, peer: &mut Peer) -> End {
        loop {
            tokio::select! {
                biased;
                request = self.face.asked.recv() => match request {
                    Some(Request { command: Command::Shutdown, reply }) => return End::Left(Some(reply)),
                    Some(request) => self.attachment.ask(request),
                    None => return End::Left(None),
                },
                Some((wanted, opening)) = self.face.wanted.recv() => self.attachment.open(wanted, opening),
                incoming = peer.incoming.recv() => match incoming {
                    Some(Incoming::Lost(why)) => return End::Lost(why),
                    Some(incoming) => self.attachment.hear(incoming),
                    None => return End::Lost("the connection to the server has ended".into()),
                },
                () = sleep(CLOSING), if self.attachment.unsaid => self.attachment.say_closed(),
            }
        }
    }

    /// Tries until there is a connection; none when the face leaves meanwhile.
    async fn come_back(&mut self) -> Option<Peer> {
        let mut told = String::new();
        loop {
            let wait = self.soon.next().unwrap_or(LATER);
            let address = self.address.clone();
            let again = async move {
                sleep(wait).await;
                dial(&address).await
            };
            match self.refuse_until(again).await? {
                Ok(peer) => return Some(peer),
                // That nobody is there has been said; what is there and doesn't want us is news.
                Err(DialError::Nobody(_) | DialError::Stale(_)) => {}
                Err(why) if why.to_string() == told => {}
                Err(why) => {
                    told = why.to_string();
                    self.attachment.notice(Level::Warning, &told);
                }
            }
        }
    }

    /// Refuses what the face wants until the work is done; none when it leaves.
    async fn refuse_until<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return Some(done),
                request = self.face.asked.recv() => match request? {
                    Request { command: Command::Shutdown, reply } => {
                        let _ = reply.send(Ok(Reply::Done));
                        return None;
                    }
                    request => self.attachment.ask(request),
                },
                Some((_, opening)) = self.face.wanted.recv() => opening.end(Err(away())),
            }
        }
    }

    /// Lets what was asked last arrive, then detaches: whatever runs goes on.
    async fn leave(mut self, mut peer: Peer) {
        let _ = timeout(FAREWELL, async {
            self.settle(&mut peer).await;
            let target = self.attachment.seat.as_ref().map(|seat| seat.state.id.clone());
            if let Some(id) = target {
                let params = Map::from_iter([("session_id".to_owned(), id.into())]);
                self.attachment.call("detach", params, Pending::Nothing);
            }
            self.settle(&mut peer).await;
        })
        .await;
        self.attachment.out = None;
        peer.close().await;
    }

    /// Waits for all answers that come soon.
    async fn settle(&mut self, peer: &mut Peer) {
        while self.attachment.is_busy() {
            match peer.incoming.recv().await {
                None | Some(Incoming::Lost(_)) => return,
                Some(incoming) => self.attachment.hear(incoming),
            }
        }
    }
}

impl From<DialError> for BackendError {
    fn from(error: DialError) -> BackendError {
        BackendError::new(Code::Internal, error.to_string())
    }
}
