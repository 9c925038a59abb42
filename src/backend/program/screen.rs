//! What scripts put on the screen, and what they ask the user.

use super::Program;
use crate::backend::runtime::News;
use crate::backend::ui::UiNews;
use crate::backend::{Ask, AskKind, BackendError, Code, PaneName, Response, StatusItem, Widget};
use crate::util::{ids, time};
use futures_util::future::BoxFuture;
use std::time::Duration;
use tokio::sync::{mpsc::WeakUnboundedSender, oneshot};

/// A question to be put.
#[derive(Debug, Clone, PartialEq)]
pub struct NewAsk {
    /// Who asks.
    pub extension: String,
    pub title: String,
    pub text: String,
    pub kind: AskKind,
    /// After this time nobody answers.
    pub timeout: Option<Duration>,
}

impl Program {
    /// Whether somebody is there to answer questions.
    pub fn is_interactive(&self) -> bool {
        self.shared().is_ok_and(|shared| shared.interactive)
    }

    /// Asks the user. None: the time was over. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// `invalid_request` where nobody is there to answer; `internal` when the session has gone.
    pub fn ask(&self, ask: NewAsk) -> BoxFuture<'static, Result<Option<Response>, BackendError>> {
        if !self.is_interactive() {
            let refusal = BackendError::new(Code::InvalidRequest, "nobody is there to answer");
            return Box::pin(std::future::ready(Err(refusal)));
        }
        let NewAsk { extension, title, text, kind, timeout } = ask;
        let ask = Ask { id: ids::fresh(), extension, title, text, kind, created_at: time::now() };
        let (answer, given) = oneshot::channel();
        let withdraw = Withdraw { ask_id: ask.id.clone(), news: self.news.clone() };
        self.tell_ui(UiNews::Ask(ask, answer));
        Box::pin(async move {
            let _withdraw = withdraw;
            let given = async { given.await.map(Some).map_err(|_| super::gone()) };
            match timeout {
                Some(limit) => tokio::time::timeout(limit, given).await.unwrap_or(Ok(None)),
                None => given.await,
            }
        })
    }

    /// Sets or removes words in the status line.
    pub fn set_status(&self, extension: &str, key: &str, item: Option<StatusItem>) {
        self.tell_ui(UiNews::Status { extension: extension.into(), key: key.into(), item });
    }

    /// Sets or removes a widget.
    pub fn set_widget(&self, extension: &str, id: &str, widget: Option<Widget>) {
        self.tell_ui(UiNews::Widget { extension: extension.into(), id: id.into(), widget });
    }

    /// Opens a pane, where there is a screen.
    pub fn open_pane(&self, pane: PaneName) {
        self.tell_ui(UiNews::Open(pane));
    }

    /// Copies a text for whoever sits at the screen.
    pub fn copy(&self, text: String) {
        self.tell_ui(UiNews::Copy(text));
    }

    /// Keys, themes or commands of extensions have changed.
    pub fn registered(&self) {
        self.tell_ui(UiNews::Registered);
    }

    fn tell_ui(&self, news: UiNews) {
        if let Some(sender) = self.news.upgrade() {
            let _ = sender.send(News::Ui(news));
        }
    }
}

/// Takes a question back when nobody waits for its answer any more.
struct Withdraw {
    ask_id: String,
    news: WeakUnboundedSender<News>,
}

impl Drop for Withdraw {
    fn drop(&mut self) {
        if let Some(news) = self.news.upgrade() {
            let _ = news.send(News::Ui(UiNews::Withdrawn(std::mem::take(&mut self.ask_id))));
        }
    }
}
