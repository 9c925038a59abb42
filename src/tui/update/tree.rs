//! The tree of the session: going to another point, back again, labels, a fork from a point.

use super::{quietly, turn::DURING_A_TURN};
use crate::backend::{BranchSummary, Command, Level, Outline, Point};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::dialog::{Dialog, SumUp};
use crate::tui::app::line::Line;
use crate::tui::app::picker::{Kind, Mode, Picker, Tree, View};
use crate::tui::effect::{Effect, Effects, Purpose};

pub fn open(app: &mut App) -> Effects {
    show(app, View::Said)
}

/// The prompts of the active branch, to edit one and send it again.
pub fn rewind(app: &mut App) -> Effects {
    show(app, View::Prompts)
}

fn show(app: &mut App, view: View) -> Effects {
    app.open.completion = None;
    app.open.picker = Some(Picker::loading(Kind::Tree(Tree::new(view))));
    ask()
}

pub fn ask() -> Effects {
    vec![Effect::Send(Command::Tree, Purpose::Tree)]
}

/// The nodes have come, or come anew. At first the mark is where the session stands.
pub fn came(app: &mut App, outline: Outline) {
    let Some(picker) = app.open.picker.as_mut() else { return };
    let fresh = picker.loading;
    let Some(tree) = picker.tree_mut() else { return };
    tree.set(outline);
    picker.loading = false;
    picker.filter();
    if let (true, Kind::Tree(tree)) = (fresh, &picker.kind) {
        let row = tree.row_of_here(&picker.list);
        picker.list.select(row);
    }
}

/// Back to the branch that was left last.
pub fn back(app: &mut App) -> Effects {
    app.open.picker = None;
    go(app, Point::Left, None)
}

pub fn go(app: &mut App, to: Point, summary: Option<BranchSummary>) -> Effects {
    app.open.going = true;
    vec![Effect::Send(Command::Branch { to: to.clone(), summary }, Purpose::Branch(to))]
}

pub fn act(app: &mut App, action: Action) -> Effects {
    let Some(picker) = app.open.picker.as_mut().filter(|p| p.mode == Mode::Filter) else { return vec![] };
    match action {
        Action::Rename => quietly(|| ask_label(picker)),
        Action::Scope => quietly(|| next_view(picker)),
        Action::Preview => quietly(|| toggle_preview(picker)),
        Action::OpenFork => fork(app),
        _ => vec![],
    }
}

fn next_view(picker: &mut Picker) {
    // What is marked stays so; where it isn't shown the mark goes to the nearest above it, and comes back.
    if let Some(tree) = picker.tree_mut() {
        tree.next_view();
        picker.filter();
    }
}

fn toggle_preview(picker: &mut Picker) {
    if let Some(tree) = picker.tree_mut() {
        tree.with_preview = !tree.with_preview;
    }
}

fn ask_label(picker: &mut Picker) {
    let Some(node) = picker.stop().and_then(|stop| picker.tree()?.node(stop.at)) else { return };
    picker.mode = Mode::Rename(Line::new(node.label.clone().unwrap_or_default()));
}

/// The label was typed; an empty one takes the old one away.
pub fn label(app: &mut App) -> Effects {
    let Some(picker) = &mut app.open.picker else { return vec![] };
    let Mode::Rename(line) = std::mem::replace(&mut picker.mode, Mode::Filter) else { return vec![] };
    let Some(node) = picker.stop().and_then(|stop| picker.tree()?.node(stop.at)) else { return vec![] };
    let command = Command::Label { entry_id: node.id.clone(), label: line.text().trim().to_owned() };
    vec![Effect::Send(command, Purpose::Labelled)]
}

/// A node was taken. From the tree it is asked whether to sum up what is left; the list of prompts is the quick way.
pub fn take(app: &mut App, at: usize) -> Effects {
    let Some(tree) = app.open.picker.take().and_then(|p| if let Kind::Tree(t) = p.kind { Some(t) } else { None })
    else {
        return vec![];
    };
    let Some(to) = tree.target(at) else { return vec![] };
    if tree.stands_at(&to) {
        return quietly(|| app.say(Level::Info, "the session stands there already"));
    }
    if app.is_running() {
        return quietly(|| app.say(Level::Warning, format!("{DURING_A_TURN}Esc interrupts it, then /tree goes back")));
    }
    match tree.left_behind(&to) {
        messages if messages > 0 && tree.view != View::Prompts => {
            quietly(|| app.open.dialogs.push_back(Dialog::summary(to, messages)))
        }
        _ => go(app, to, None),
    }
}

pub fn sum_up(app: &mut App, to: Point, choice: SumUp) -> Effects {
    match choice {
        SumUp::No => go(app, to, None),
        SumUp::Yes => go(app, to, Some(BranchSummary::default())),
        SumUp::Focused => quietly(|| app.open.dialogs.push_front(Dialog::focus(to))),
    }
}

fn fork(app: &mut App) -> Effects {
    let Some(picker) = &app.open.picker else { return vec![] };
    let to = picker.stop().and_then(|stop| picker.tree()?.target(stop.at));
    match to {
        Some(to) => {
            app.open.picker = None;
            app.open.going = true;
            vec![Effect::Send(Command::ForkAt { to }, Purpose::Forked)]
        }
        None => vec![],
    }
}

/// The session stands at the point.
pub fn gone(app: &mut App, to: &Point, prompt: Option<String>) -> Effects {
    forget_returned(app);
    let back = app.key_of(Action::Back);
    let said = match (to, &prompt) {
        (Point::Left, _) => "this is the branch that was left; /back goes to the other one again".to_owned(),
        (_, Some(_)) => {
            format!("edit it and send it again: that begins a new branch · /back or {back} returns to the old one")
        }
        (_, None) => format!("the session goes on from here · /back or {back} returns to the branch left"),
    };
    edit(app, prompt, said)
}

/// A prompt of the branch that was left is no draft, as long as nothing of it was changed.
fn forget_returned(app: &mut App) {
    let Some(returned) = app.open.returned.take() else { return };
    if app.editor.draft().expanded() == returned {
        app.editor.take();
    }
}

/// A new session goes on from the point.
pub fn forked(app: &mut App, prompt: Option<String>) -> Effects {
    edit(app, prompt, "a new session with what came before; the old one is in /resume".to_owned())
}

/// Puts a prompt into the editor. What was being written goes to the prompt history.
fn edit(app: &mut App, prompt: Option<String>, mut said: String) -> Effects {
    if let Some(prompt) = prompt.filter(|p| !p.is_empty()) {
        if !app.editor.is_empty() {
            let draft = app.editor.take().expanded();
            app.history.add(&draft);
            said.push_str(" · your draft is in the prompt history (Up)");
        }
        app.editor.set_text(&prompt);
        app.open.returned = Some(prompt);
    }
    app.history.stop();
    quietly(|| app.say(Level::Info, said))
}
