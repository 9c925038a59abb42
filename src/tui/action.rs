//! Everything a key can do. One table gives the enum, the names in keymap.toml, the palette, the keys page and the
//! README's table.

/// Where an action means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// Sending, stopping, leaving: what concerns the turn and the program.
    Main,
    /// What opens something or changes what is seen.
    View,
    /// Moving in the transcript.
    Scroll,
    /// Reading back: searching the transcript, and going through it block by block.
    Read,
    /// The draft.
    Edit,
    /// An open picker.
    Picker,
    /// An open question.
    Dialog,
}

impl Group {
    pub fn title(self) -> &'static str {
        match self {
            Group::Main => "turn and program",
            Group::View => "open and show",
            Group::Scroll => "transcript",
            Group::Read => "reading back",
            Group::Edit => "editor",
            Group::Picker => "in a picker",
            Group::Dialog => "in a question",
        }
    }
}

macro_rules! actions {
    ($($group:ident { $($name:ident = $word:literal, $doc:literal;)* })*) => {
        /// An action; its name is the same in keymap.toml, in the palette and on the keys page.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action { $($($name),*),* }

        impl Action {
            /// All of them, in the order of the keys page.
            pub const ALL: &'static [Action] = &[$($(Action::$name),*),*];

            /// Kebab-case.
            pub fn name(self) -> &'static str {
                match self { $($(Action::$name => $word),*),* }
            }

            /// What it does, in one line.
            pub fn doc(self) -> &'static str {
                match self { $($(Action::$name => $doc),*),* }
            }

            pub fn group(self) -> Group {
                match self { $($(Action::$name => Group::$group),*),* }
            }
        }
    };
}

actions! {
    Main {
        Send = "send", "send; during a turn: steer it, after the running tools";
        Newline = "newline", "a new line";
        FollowUp = "queue-follow-up", "during a turn: queue the draft as a follow-up";
        TakeBack = "take-back", "take the text that was queued last back into the editor";
        Escape = "escape", "close what is open, else interrupt the turn; twice on an empty editor: earlier prompts";
        Cancel = "cancel", "cancel the running tool, else clear the editor; twice on an empty one: quit";
        DeleteOrQuit = "delete-or-quit", "delete the next character; quit on an empty editor when idle";
        Quit = "quit", "quit";
        Suspend = "suspend", "suspend; `fg` comes back";
    }
    View {
        CycleThinking = "cycle-thinking-view", "thinking: folded, live only, shown";
        ToggleTools = "toggle-tool-output", "show all tool output, or fold it";
        Palette = "palette", "everything that can be done, by name";
        Models = "model-picker", "choose a model";
        ThinkingLevels = "thinking-picker", "choose how much the model thinks";
        NextMode = "next-mode", "the next mode: plan, ask, workspace, auto";
        Modes = "mode-picker", "choose what runs without asking";
        Sessions = "session-picker", "open another session";
        Tree = "tree-picker", "all branches of this session: go to another point of it";
        Rewind = "earlier-prompts", "go back to an earlier prompt, to edit it and send it again";
        Back = "back", "back to the branch that was left last";
        ToggleJobs = "toggle-jobs", "the list of jobs on or off";
        Jobs = "job-picker", "all jobs, and agents of earlier runs: open one, stop it, talk to it";
        PreviousConversation = "previous-conversation", "the conversation before: the session, its agents";
        NextConversation = "next-conversation", "the next conversation";
        Tile = "tile", "up to four agents side by side, or one again";
        FocusLeft = "focus-left", "the agent to the left has the keys; without tiles the conversation before";
        FocusRight = "focus-right", "the one to the right, then the list of jobs; without a list the next conversation";
        FocusUp = "focus-up", "the agent above; without tiles the transcript has the keys, block by block";
        FocusDown = "focus-down", "the agent below; without tiles the editor has the keys";
        Zoom = "zoom", "what has the keys fills the screen, or not";
        StopJob = "stop-job", "stop the agent that has the keys, or the marked job";
        StopAllJobs = "stop-all-jobs", "stop all agents and other jobs, those in the background as well";
        Job1 = "open-first-job", "open the first job of the list";
        Job2 = "open-second-job", "open the second job of the list";
        Job3 = "open-third-job", "open the third job of the list";
        Job4 = "open-fourth-job", "open the fourth job of the list";
        Job5 = "open-fifth-job", "open the fifth job of the list";
        Job6 = "open-sixth-job", "open the sixth job of the list";
        Job7 = "open-seventh-job", "open the seventh job of the list";
        Job8 = "open-eighth-job", "open the eighth job of the list";
        Job9 = "open-ninth-job", "open the ninth job of the list";
        Themes = "theme-picker", "choose a theme";
        Search = "search", "search the transcript";
        Blocks = "focus-transcript", "the keys go to the transcript, block by block";
        Dump = "dump-transcript", "the whole transcript on the normal screen, until a key is pressed";
        ViewTranscript = "edit-transcript", "the transcript in your editor";
        EditDraft = "edit-draft", "the draft in your editor ($VISUAL, $EDITOR)";
        Queue = "queue-picker", "what is queued: take one back to edit it, or delete it";
        SearchHistory = "search-history", "search the prompt history";
        Keys = "keys", "all keys";
        Settings = "settings", "all settings: look at them, change them";
        ToggleMouse = "toggle-mouse", "mouse on or off";
        Redraw = "redraw", "draw the screen anew";
    }
    Scroll {
        PageUp = "page-up", "a page up";
        PageDown = "page-down", "a page down";
        ScrollUp = "scroll-up", "a line up";
        ScrollDown = "scroll-down", "a line down";
        Top = "top", "to the beginning";
        Bottom = "bottom", "to the end, and follow it";
        ToggleBlock = "toggle-block", "open or fold the marked block, else the last one on the screen";
    }
    Read {
        NextBlock = "next-block", "mark the next block";
        PreviousBlock = "previous-block", "mark the block before";
        CopyBlock = "copy-block", "copy the marked block";
        NextMatch = "next-match", "to the next match";
        PreviousMatch = "previous-match", "to the match before";
    }
    Edit {
        CursorUp = "cursor-up", "up; on the first line: the prompt before";
        CursorDown = "cursor-down", "down; on the last line: the prompt after";
        CursorLeft = "cursor-left", "left";
        LeftOrBackground = "cursor-left-or-background", "left; while a call runs: let it go on in the background";
        CursorRight = "cursor-right", "right";
        RightOrSearch = "cursor-right-or-search", "right; on an empty editor: search the transcript";
        WordLeft = "word-left", "to the beginning of the word";
        WordLeftOrPrevious = "word-left-or-previous-conversation", "to the beginning of the word; on an empty editor: the conversation before";
        WordRightOrNext = "word-right-or-next-conversation", "to the end of the word; on an empty editor: the next conversation";
        WordRight = "word-right", "to the end of the word";
        LineStart = "line-start", "to the beginning of the line";
        LineEnd = "line-end", "to the end of the line";
        HomeKey = "line-start-or-top", "to the beginning of the line, then of the transcript";
        EndKey = "line-end-or-bottom", "to the end of the line, then of the transcript";
        DeleteBack = "delete-back", "delete the character before";
        DeleteNext = "delete-next", "delete the next character";
        DeleteWordBack = "delete-word-back", "delete the word before";
        DeleteWordNext = "delete-word-next", "delete the next word";
        DeleteToStart = "delete-to-line-start", "delete to the beginning of the line";
        DeleteToEnd = "delete-to-line-end", "delete to the end of the line";
        PasteImage = "paste-image", "attach the picture in the clipboard; one whose path is pasted is attached as well";
        Yank = "yank", "put back what was deleted last";
        Undo = "undo", "undo";
        Redo = "redo", "redo";
        Complete = "complete", "take the suggestion without running it";
    }
    Picker {
        Accept = "accept", "take the selected one";
        Close = "close", "close";
        Next = "next", "the next one";
        Previous = "previous", "the one before";
        NextPage = "next-page", "a page down";
        PreviousPage = "previous-page", "a page up";
        First = "first", "the first one";
        Last = "last", "the last one";
        Rename = "rename", "rename; in the tree: label";
        Delete = "delete", "delete (asks); in the settings: what is built in again";
        Sort = "sort", "the next order";
        Scope = "scope", "the next scope: here, this repository, all; in the tree: what it shows";
        Preview = "preview", "preview on or off";
        ExportSession = "export", "write the session to a file (.md .html .jsonl)";
        Children = "children", "show the sessions of agents that it started, or fold them";
        OpenReadOnly = "open-read-only", "open without writing";
        OpenFork = "open-fork", "open as a fork; in the tree: a new session from here";
        Switch = "switch", "switch the extension on or off";
        Reload = "reload", "run the extension's code anew";
        CopyPath = "copy-path", "copy where the extension lies";
    }
    Dialog {
        Choose = "choose", "take the marked answer";
        Dismiss = "dismiss", "the cautious answer";
        NextChoice = "next-choice", "mark the next answer";
        PreviousChoice = "previous-choice", "mark the answer before";
        ToggleChoice = "toggle-choice", "take the marked one too, or leave it; where several can be taken";
    }
}

impl Action {
    pub fn named(name: &str) -> Option<Action> {
        Action::ALL.iter().copied().find(|a| a.name() == name)
    }

    /// Whether it makes sense to choose it in the palette, where the editor has the keys.
    pub fn is_in_palette(self) -> bool {
        match self.group() {
            Group::View => self != Action::Palette,
            Group::Scroll => true,
            Group::Main => matches!(self, Action::Escape | Action::TakeBack | Action::Suspend | Action::Quit),
            Group::Edit => matches!(self, Action::Undo | Action::Redo),
            Group::Read | Group::Picker | Group::Dialog => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_kebab_case() {
        let names: BTreeSet<_> = Action::ALL.iter().map(|a| a.name()).collect();
        assert_eq!(names.len(), Action::ALL.len());
        for action in Action::ALL {
            assert!(action.name().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", action.name());
            assert_eq!(Action::named(action.name()), Some(*action));
        }
    }
}
