//! Sessions of the editor's: how one is made, loaded, found again.

use super::{
    agent::Agent,
    peer::fault,
    stop::refused,
    talk::{Attached, Order, Talk},
    teller::Teller,
};
use crate::backend::{Level, OpenMode, Scope, StartSession};
use crate::server::{desk::locked, hub::Opening, seat::Claim, wire::Refusal};
use agent_client_protocol_schema::v1::{
    Error, ListSessionsRequest, ListSessionsResponse, LoadSessionRequest, LoadSessionResponse, McpServer,
    NewSessionRequest, NewSessionResponse, RequestId, ResumeSessionRequest, ResumeSessionResponse, SessionId,
    SessionInfo, SystemPrompt,
};
use serde::Serialize;
use serde_json::Value;
use std::{
    collections::hash_map::Entry,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// Sessions of one page.
const PAGE: usize = 200;

/// What the three ways to a session have in common.
struct Wanted {
    cwd: PathBuf,
    /// Servers that tools should come from.
    mcp: usize,
}

impl Wanted {
    fn new(cwd: PathBuf, more: &[PathBuf], mcp: &[McpServer], system: Option<&SystemPrompt>) -> Result<Wanted, Error> {
        let refused = |why: &str| Err(fault(Error::invalid_params(), why));
        if !cwd.is_absolute() {
            return refused("`cwd` has to be an absolute path");
        }
        if !more.is_empty() {
            return refused("a session has one folder: `additionalDirectories` is no capability of panto's");
        }
        if system.is_some() {
            return refused("`systemPrompt` is no capability of panto's: --system and --append-system set it");
        }
        Ok(Wanted { cwd, mcp: mcp.len() })
    }
}

fn open_already(session_id: &str) -> Refusal {
    Refusal::invalid(format!("the session {session_id} is open already: session/close comes before it is opened again"))
}

/// The other end of a session's orders, until its task runs.
type Seated = (Talk, UnboundedReceiver<Order>);

impl Agent {
    pub fn open_new(self: &Arc<Self>, id: &RequestId, request: NewSessionRequest) -> Result<(), Error> {
        let NewSessionRequest { cwd, additional_directories, mcp_servers, system_prompt, .. } = request;
        let wanted = Wanted::new(cwd, &additional_directories, &mcp_servers, system_prompt.as_ref())?;
        self.spawn(id, |agent| async move {
            let opening = Opening { cwd: Some(wanted.cwd.clone()), ..Opening::of(StartSession::New) };
            let (claim, session) = agent.hub.create(opening).await?;
            let attached = agent.attach(&session.id).await?;
            drop(claim);
            let session_id = SessionId::new(session.id);
            let seated = agent.seat(attached, &wanted, false).await;
            let (options, modes) = (seated.0.options(), seated.0.modes());
            Ok((NewSessionResponse::new(session_id).config_options(options).modes(modes), seated))
        });
        Ok(())
    }

    pub fn load(self: &Arc<Self>, id: &RequestId, request: LoadSessionRequest) -> Result<(), Error> {
        let LoadSessionRequest { cwd, additional_directories, mcp_servers, system_prompt, session_id, .. } = request;
        let wanted = Wanted::new(cwd, &additional_directories, &mcp_servers, system_prompt.as_ref())?;
        self.spawn(id, |agent| async move {
            let seated = agent.reopen(&session_id, &wanted, true).await?;
            let (options, modes) = (seated.0.options(), seated.0.modes());
            Ok((LoadSessionResponse::new().config_options(options).modes(modes), seated))
        });
        Ok(())
    }

    pub fn resume(self: &Arc<Self>, id: &RequestId, request: ResumeSessionRequest) -> Result<(), Error> {
        let ResumeSessionRequest { cwd, additional_directories, mcp_servers, system_prompt, session_id, .. } = request;
        let wanted = Wanted::new(cwd, &additional_directories, &mcp_servers, system_prompt.as_ref())?;
        self.spawn(id, |agent| async move {
            let seated = agent.reopen(&session_id, &wanted, false).await?;
            let (options, modes) = (seated.0.options(), seated.0.modes());
            Ok((ResumeSessionResponse::new().config_options(options).modes(modes), seated))
        });
        Ok(())
    }

    /// Opens a session, answers, and then tells what happens in it: an editor knows a session from its answer on.
    fn spawn<R, F>(self: &Arc<Self>, id: &RequestId, open: impl FnOnce(Arc<Agent>) -> F)
    where
        R: Serialize + Send,
        F: Future<Output = Result<(R, Seated), Refusal>> + Send + 'static,
    {
        let (agent, id, opening) = (self.clone(), id.clone(), open(self.clone()));
        self.tasks.spawn(async move {
            match opening.await {
                Ok((answer, (talk, orders))) => {
                    let session_id = talk.session.id.clone();
                    let own = talk.orders.clone();
                    if !agent.claim_talk(&session_id, &own) {
                        return agent.peer.respond(&id, Err::<R, Error>(refused(open_already(&session_id))));
                    }
                    agent.peer.respond(&id, Ok(answer));
                    if agent.alone.is_cancelled() {
                        let _ = own.send(Order::Finish);
                    }
                    talk.run(orders).await;
                    let mut talks = locked(&agent.talks);
                    if talks.get(&session_id).is_some_and(|orders| orders.same_channel(&own)) {
                        talks.remove(&session_id);
                    }
                }
                Err(why) => agent.peer.respond(&id, Err::<(), Error>(refused(why))),
            }
        });
    }

    /// Makes it the one that speaks of the session; of two that were opened at the same time only one does.
    fn claim_talk(&self, session_id: &str, orders: &UnboundedSender<Order>) -> bool {
        match locked(&self.talks).entry(session_id.to_owned()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(free) => {
                free.insert(orders.clone());
                true
            }
        }
    }

    async fn attach(&self, session_id: &str) -> Result<Attached, Refusal> {
        let (claim, (link, face), session): (Claim, _, _) = self.hub.attach(session_id, OpenMode::Write).await?;
        Ok(Attached { claim, link, face, session })
    }

    async fn reopen(&self, session_id: &SessionId, wanted: &Wanted, replay: bool) -> Result<Seated, Refusal> {
        if locked(&self.talks).contains_key(&*session_id.0) {
            return Err(open_already(&session_id.0));
        }
        let attached = self.attach(&session_id.0).await?;
        let (own, given) = (attached.session.cwd.clone(), wanted.cwd.clone());
        let same = tokio::task::spawn_blocking(move || is_same(&own, &given)).await.unwrap_or(false);
        if !same {
            let cwd = attached.session.cwd.display();
            return Err(Refusal::invalid(format!(
                "the session {session_id} belongs to the folder {cwd}: give it as cwd"
            )));
        }
        Ok(self.seat(attached, wanted, replay).await)
    }

    async fn seat(&self, attached: Attached, wanted: &Wanted, replay: bool) -> Seated {
        let editor = self.editor();
        let notices = editor.session.is_some_and(|session| session.notices.is_some());
        let forms = editor.elicitation.is_some_and(|elicitation| elicitation.form.is_some());
        let mut teller = Teller::new(attached.session.cwd.clone(), notices);
        let (orders, taken) = mpsc::unbounded_channel();
        let told = if replay { teller.replay(&attached.session) } else { vec![] };
        let mut talk = Talk::new(self.peer.clone(), attached, teller, forms, orders).await;
        talk.tell(told);
        if wanted.mcp > 0 {
            let text = format!("panto has no MCP: {} servers that the editor named are not used", wanted.mcp);
            talk.greeting = Some((Level::Warning, text));
        }
        (talk, taken)
    }

    /// A page of the list, newest activity first. The cursor is the id of the last session that was told.
    pub fn list(self: &Arc<Self>, id: &RequestId, request: ListSessionsRequest) -> Result<(), Error> {
        let ListSessionsRequest { cwd, cursor, .. } = request;
        if cwd.as_ref().is_some_and(|cwd| !cwd.is_absolute()) {
            return Err(fault(Error::invalid_params(), "`cwd` has to be an absolute path"));
        }
        let (agent, id) = (self.clone(), id.clone());
        self.tasks.spawn(async move {
            let scope = if cwd.is_some() { Scope::Here } else { Scope::All };
            let listed = agent.hub.list(scope, cwd, false, &[]).await;
            let answer = listed.map_err(refused).and_then(|rows| page(&rows, cursor.as_deref()));
            agent.peer.respond(&id, answer);
        });
        Ok(())
    }
}

/// The same folder, by whatever path; one that is gone can't be compared and is taken as it is.
fn is_same(own: &Path, given: &Path) -> bool {
    match (own.canonicalize(), given.canonicalize()) {
        (Ok(own), Ok(given)) => own == given,
        (Err(_), _) => true,
        (Ok(_), Err(_)) => false,
    }
}

fn page(rows: &[Value], cursor: Option<&str>) -> Result<ListSessionsResponse, Error> {
    let from = match cursor {
        None => 0,
        Some(cursor) => {
            let at = rows.iter().position(|row| row["id"] == cursor);
            at.ok_or_else(|| fault(Error::invalid_params(), "there is no such cursor: list from the beginning"))? + 1
        }
    };
    let rest = &rows[from..];
    let told = &rest[..rest.len().min(PAGE)];
    let next = told.last().filter(|_| rest.len() > PAGE).and_then(|row| row["id"].as_str());
    let sessions = told.iter().filter_map(info).collect();
    Ok(ListSessionsResponse::new(sessions).next_cursor(next.map(str::to_owned)))
}

/// A session of the list; none of one that can't be opened.
fn info(row: &Value) -> Option<SessionInfo> {
    let text = |key: &str| row[key].as_str().filter(|text| !text.is_empty());
    let (id, cwd) = (text("id")?.to_owned(), text("cwd")?);
    let title = text("name").or_else(|| text("first_prompt")).map(str::to_owned);
    Some(SessionInfo::new(id, cwd).title(title).updated_at(text("updated_at").map(str::to_owned)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_comes_in_pages() {
        let rows: Vec<Value> = (0..PAGE + 3).map(|n| json!({"id": n.to_string(), "cwd": "/p", "name": "N"})).collect();
        let first = page(&rows, None).expect("a page");
        assert_eq!((first.sessions.len(), first.next_cursor.as_deref()), (PAGE, Some("199")));
        let last = page(&rows, first.next_cursor.as_deref()).expect("a page");
        assert_eq!((last.sessions.len(), last.next_cursor), (3, None));
        assert!(page(&rows, Some("nowhere")).is_err());
    }

    #[test]
    fn an_unreadable_session_is_left_out() {
        let rows = [json!({"id": "a", "cwd": ""}), json!({"id": "b", "cwd": "/p", "first_prompt": "hello"})];
        let told = page(&rows, None).expect("a page").sessions;
        assert_eq!((told.len(), told[0].title.as_deref()), (1, Some("hello")));
    }
}
