//! The full-screen program without a backend or a terminal: keys and events in, a screen out.

use panto::{
    backend::{Event, Mode, Reply, Session},
    config::Options,
    tui::{
        Setup, Start,
        app::{App, history::PromptHistory},
        effect::{Effect, Effects, Purpose},
        host::Host,
        input::{Decoder, Input},
        terminal::Screen,
        theme::ColorDepth,
        update::{Message, begin, update},
        view,
    },
    util::paths::Paths,
};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect, Size},
};
use std::{
    num::NonZeroU16,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

struct NoHistory;

impl PromptHistory for NoHistory {
    fn load(&self) -> Vec<String> {
        vec![]
    }
    fn append(&self, _: &str) {}
}

pub struct Desk {
    pub app: App,
    now: Instant,
    decoder: Decoder,
    sent: Effects,
}

impl Desk {
    pub fn new(theme: &str, depth: ColorDepth) -> Desk {
        let nowhere = PathBuf::from("/nonexistent");
        let mut options = Options { mode: Mode::Auto, theme: theme.into(), ..Options::default() };
        options.tui.motion = false;
        let paths = Paths { data: nowhere.clone(), config: nowhere, home: None };
        let mut setup = Setup {
            options,
            settings: panto::config::Settings::of_user(&paths),
            paths,
            depth,
            start: Start::Session,
            prompt: None,
            notices: vec![],
            history: Arc::new(NoHistory),
            host: Host::default(),
        };
        let now = Instant::now();
        let mut app = App::new(&mut setup, now);
        let sent = begin(&mut app, setup.start);
        let mut desk = Desk { app, now, decoder: Decoder::default(), sent };
        desk.app.prepare(Size::new(120, 40), now);
        desk
    }

    fn tell(&mut self, message: Message) {
        self.sent.extend(update(&mut self.app, message, self.now));
        self.app.prepare(Size::new(120, 40), self.now);
    }

    pub fn event(&mut self, event: Event) -> &mut Desk {
        self.tell(Message::Event(event));
        self
    }

    pub fn changed(&mut self, session: Session) -> &mut Desk {
        self.event(Event::SessionChanged(Arc::new(session)))
    }

    pub fn message(&mut self, message: Message) -> &mut Desk {
        self.tell(message);
        self
    }

    /// Keys by name, as slow as fingers.
    pub fn keys(&mut self, names: &str) -> &mut Desk {
        for name in names.split_whitespace() {
            self.now += Duration::from_millis(60);
            self.tell(Message::Input(Input::Key(name.parse().expect("a key"))));
        }
        self
    }

    pub fn type_text(&mut self, text: &str) -> &mut Desk {
        self.now += Duration::from_millis(60);
        for input in self.decoder.feed(text.as_bytes(), self.now) {
            self.tell(Message::Input(input));
        }
        self.now += Duration::from_millis(400);
        self
    }

    pub fn submit(&mut self, line: &str) -> &mut Desk {
        self.type_text(line).keys("enter")
    }

    /// Answers the last command that went out.
    pub fn reply(&mut self, reply: Reply) -> &mut Desk {
        let purpose = |e: &Effect| if let Effect::Send(_, purpose) = e { Some(purpose.clone()) } else { None };
        let last: Purpose = self.sent.iter().filter_map(purpose).next_back().expect("a command went out");
        self.tell(Message::Reply(last, Ok(reply)));
        self
    }

    /// The cells of a frame, and where the caret is.
    pub fn cells(&mut self, size: (u16, u16)) -> (Buffer, Option<Position>) {
        self.app.prepare(Size::new(size.0, size.1), self.now);
        let mut buffer = Buffer::empty(Rect::new(0, 0, size.0, size.1));
        let caret = view::draw(&self.app, &mut buffer, &[]);
        (buffer, caret)
    }

    /// The bytes of the first frame at a size.
    pub fn bytes(&mut self, size: (u16, u16)) -> Vec<u8> {
        self.app.prepare(Size::new(size.0, size.1), self.now);
        let mut screen = Screen::new(Size::new(size.0, size.1));
        let frame = screen.frame(&[], |buffer, kept| view::draw(&self.app, buffer, kept)).expect("memory never fails");
        frame.unwrap_or_default().to_vec()
    }
}

/// What a terminal makes of the bytes.
pub fn shown(bytes: &[u8], size: (u16, u16)) -> vt100::Parser {
    let number = |n| NonZeroU16::new(n).expect("a size");
    let mut parser = vt100::Parser::new(number(size.1), number(size.0), 0);
    parser.process(bytes);
    parser
}

/// The rows, without blanks at their ends.
pub fn text(buffer: &Buffer) -> String {
    let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..buffer.area.height).map(|y| row(y).trim_end().to_owned() + "\n").collect()
}
