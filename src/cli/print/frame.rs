//! Events as protocol.md's frames, one JSON object each.

use crate::backend::Event;
use crate::server::event_frame;

/// The frame of an event, without a line break; none for what only a face with a screen needs.
pub fn frame(event: &Event, session_id: &str) -> Option<String> {
    let frame = match event {
        Event::SessionOpened(session) | Event::SessionBranched { session, .. } => {
            event_frame(&Event::SessionChanged(session.clone()), session_id)
        }
        // The protocol's page tells no more than this of an update.
        Event::ItemUpdated { append: None, content: None, .. }
        | Event::ItemRemoved { .. }
        | Event::ApprovalClosed { .. }
        | Event::PaneOpened(_)
        | Event::Copied { .. }
        | Event::KeyBindings(_)
        | Event::Themes(_)
        | Event::Commands(_)
        | Event::TrustAsked(_)
        | Event::TurnEnded { .. } => None,
        event => event_frame(event, session_id),
    };
    frame.map(|frame| frame.to_string())
}
