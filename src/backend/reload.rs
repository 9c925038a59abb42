//! Reloading and switching extensions: asked aside, told by the task that owns the session.

use super::{
    BackendError, Code, Diagnostic, Level, Reloaded, Reply,
    obey::Answered,
    offer_providers,
    runtime::{News, Runtime},
};
use tokio::sync::oneshot;

impl Runtime {
    /// What extensions bring may have changed.
    pub fn offer_anew(&mut self) {
        offer_providers(&self.shared.providers, &self.shared.extensions, &self.shared.options.network);
        self.go_back_to_model();
        self.registered().into_iter().for_each(|event| self.tell(event));
        self.render_history();
    }

    /// The session's own model was missing when it was opened, and an extension has brought it.
    fn go_back_to_model(&mut self) {
        let Some(name) = self.open.missing.clone().filter(|_| self.turn.is_none()) else { return };
        let Ok(model) = self.shared.providers.resolve(&name) else { return };
        let thinking = self.open.state.thinking.clamp_to(&model.spec.thinking);
        self.open.set_model(model, thinking);
        self.open.missing = None;
        self.notice(Level::Info, format!("{name} is there now, and goes on"));
        self.tell_scripts();
        self.changed();
    }

    pub fn reload(&self, name: Option<&str>, reply: oneshot::Sender<Answered>) {
        let (news, work) = (self.news.clone(), self.shared.extensions.reload(name));
        self.errands.spawn(async move {
            let done = work.await;
            let told = done.summary();
            let _ = news.send(News::Reloaded(done, told, reply));
        });
    }

    pub fn enable(&self, name: &str, on: bool, reply: oneshot::Sender<Answered>) {
        let (news, work) = (self.news.clone(), self.shared.extensions.enable(name, on));
        let kept = self.shared.paths.data.join("extensions.json");
        let told = format!(
            "{name} is {} now and in later runs ({} remembers it)",
            if on { "on" } else { "off" },
            kept.display()
        );
        self.errands.spawn(async move {
            let _ = match work.await {
                Ok(done) => news.send(News::Reloaded(done, told, reply)).is_ok(),
                Err(why) => reply.send(Err(BackendError::new(Code::InvalidRequest, why))).is_ok(),
            };
        });
    }

    /// Tells faces what there is now. Errors go out whole, the asker gets the line.
    pub fn reloaded(&mut self, done: Reloaded, told: String, reply: oneshot::Sender<Answered>) {
        for Diagnostic { extension, message } in &done.failed {
            self.notice(Level::Error, format!("extension {extension}: {message}"));
        }
        self.diagnostics = done.diagnostics;
        let unheld = self.shared.extensions.unheld();
        if unheld && !self.open.state.unheld {
            let told =
                "nothing decides about calls any more: all run without asking and without a sandbox, whatever the mode";
            self.notice(Level::Warning, told);
        }
        self.open.state.unheld = unheld;
        self.offer_anew();
        self.changed();
        let _ = reply.send(Ok(Reply::Text(told)));
    }
}
