//! What a question of an extension is answered with, if not with a letter: a list, a line, a text.

use super::editor::{Editor, Fold};
use super::line::Line;
use super::picker::{Item, List};
use crate::backend::{AskKind, Response};
use crate::tui::action::Action;
use crate::tui::text::Ambiguous;
use std::collections::BTreeSet;

#[derive(Debug)]
pub enum Form {
    List {
        /// Places in the question's list.
        list: List<usize>,
        query: Line,
        /// Those that are taken, where several may be.
        taken: Option<BTreeSet<usize>>,
    },
    Line {
        line: Line,
        placeholder: String,
    },
    /// A line that nobody may read.
    Unseen(Unseen),
    Text(Box<Editor>),
}

/// What is typed unseen. `Debug` shows none of it.
#[derive(Default)]
pub struct Unseen(pub Line);

impl std::fmt::Debug for Unseen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Unseen")
    }
}

/// Rows of a list or a text, at the most.
const TALLEST: usize = 15;

impl Form {
    /// Rows that it wants, the one for its keys included.
    pub fn height(&self) -> usize {
        match self {
            Form::List { list, .. } => list.items().len().clamp(1, TALLEST) + 2,
            Form::Line { .. } | Form::Unseen(_) => 2,
            Form::Text(editor) => editor.layout().rows.len().clamp(3, TALLEST) + 1,
        }
    }

    /// None where letters answer.
    pub fn of(kind: &AskKind, ambiguous: Ambiguous) -> Option<Form> {
        match kind {
            AskKind::Confirm { .. } => None,
            AskKind::Select { items, multi, default } => {
                let item = |(at, item): (usize, &crate::backend::AskItem)| {
                    let detail = crate::util::text::one_line(&item.detail);
                    Item::new(at, crate::util::text::one_line(&item.label), detail)
                };
                let mut list = List::new(items.iter().enumerate().map(item).collect());
                default.first().into_iter().for_each(|at| list.select(*at));
                let taken = multi.then(|| default.iter().copied().collect());
                Some(Form::List { list, query: Line::default(), taken })
            }
            AskKind::Input { default, placeholder } => {
                let mut line = Line::default();
                line.insert(default);
                Some(Form::Line { line, placeholder: placeholder.clone() })
            }
            AskKind::Edit { default } => {
                // Nothing is folded: what is edited is to be seen.
                let fold = Fold { lines: usize::MAX, chars: usize::MAX };
                let mut editor = Editor::new(fold, ambiguous);
                editor.insert(default);
                Some(Form::Text(Box::new(editor)))
            }
        }
    }

    /// What Enter answers; none where nothing can be taken.
    pub fn response(&self) -> Option<Response> {
        match self {
            Form::List { taken: Some(taken), .. } => Some(Response::Chosen(taken.iter().copied().collect())),
            Form::List { list, .. } => list.selected_pick().map(|at| Response::Chosen(vec![*at])),
            Form::Line { line, .. } => Some(Response::Text(line.text().to_owned())),
            // It goes another way than an answer.
            Form::Unseen(_) => None,
            Form::Text(editor) => Some(Response::Text(editor.text())),
        }
    }

    /// Takes the marked item, or leaves it.
    pub fn toggle(&mut self) {
        if let Form::List { list, taken: Some(taken), .. } = self
            && let Some(at) = list.selected_pick()
            && !taken.remove(at)
        {
            taken.insert(*at);
        }
    }

    /// Moves the mark, or the caret by lines.
    pub fn step(&mut self, by: isize) {
        match self {
            Form::List { list, .. } => list.step(by),
            Form::Text(editor) => {
                for _ in 0..by.unsigned_abs().min(editor.lines().len()) {
                    if by < 0 {
                        editor.up()
                    } else {
                        editor.down()
                    };
                }
            }
            Form::Line { .. } | Form::Unseen(_) => {}
        }
    }

    pub fn insert(&mut self, text: &str) {
        match self {
            Form::List { list, query, .. } => {
                query.insert(text);
                list.filter(query.text());
            }
            Form::Line { line, .. } | Form::Unseen(Unseen(line)) => line.insert(text),
            Form::Text(editor) => editor.insert(text),
        }
    }

    /// A key of the editor.
    pub fn edit(&mut self, action: Action) {
        match self {
            Form::List { list, query, .. } => {
                let before = query.text().to_owned();
                query.act(action);
                if query.text() != before {
                    list.filter(query.text());
                }
            }
            Form::Line { line, .. } | Form::Unseen(Unseen(line)) => line.act(action),
            Form::Text(editor) => editor.act(action),
        }
    }
}
