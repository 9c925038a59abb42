//! Roles: what a piece of the screen means. Views colour only through them, elements name them.

macro_rules! roles {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// What a piece of the screen means; a theme gives each a style.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Role { $($(#[$doc])* $variant),* }

        impl Role {
            /// All roles, in the order of their discriminants.
            pub const ALL: &'static [Role] = &[$(Role::$variant),*];

            /// The name in theme files and in Lua.
            pub fn name(self) -> &'static str {
                match self { $(Role::$variant => $name),* }
            }

            /// The role of that name.
            ///
            /// # Errors
            /// In words, with the nearest name.
            pub fn find(name: &str) -> Result<Role, String> {
                let names = Role::ALL.iter().map(|r| r.name());
                Role::named(name).ok_or_else(|| format!("no role `{name}`{}", super::read::hint(name, names)))
            }

            pub fn named(name: &str) -> Option<Role> {
                match name { $($name => Some(Role::$variant),)* _ => None }
            }
        }
    };
}

roles! {
    /// Body text. Its background, if it has one, is the background of the whole screen.
    Text = "text",
    Dim = "dim",
    Accent = "accent",
    /// The user's words and their mark.
    User = "user",
    Assistant = "assistant",
    Thinking = "thinking",
    Heading1 = "heading1",
    Heading2 = "heading2",
    /// Of the third level and below.
    Heading3 = "heading3",
    Strong = "strong",
    Emphasis = "emphasis",
    Strikethrough = "strikethrough",
    /// Code within a line.
    Code = "code",
    CodeBlock = "code_block",
    Quote = "quote",
    Link = "link",
    ListMarker = "list_marker",
    TableBorder = "table_border",
    TableHeader = "table_header",
    Rule = "rule",
    ToolRunning = "tool_running",
    ToolDone = "tool_done",
    ToolError = "tool_error",
    /// What a tool printed, where it has no colours of its own.
    ToolOutput = "tool_output",
    DiffAdded = "diff_added",
    DiffRemoved = "diff_removed",
    /// Words that changed within an added line.
    DiffAddedWord = "diff_added_word",
    DiffRemovedWord = "diff_removed_word",
    DiffHunk = "diff_hunk",
    DiffLineNumber = "diff_line_number",
    Border = "border",
    BorderFocus = "border_focus",
    Status = "status",
    StatusAccent = "status_accent",
    Prompt = "prompt",
    Placeholder = "placeholder",
    Selection = "selection",
    PickerMatch = "picker_match",
    SearchMatch = "search_match",
    Warning = "warning",
    Error = "error",
    Notice = "notice",
    Success = "success",
    SyntaxKeyword = "syntax_keyword",
    SyntaxString = "syntax_string",
    SyntaxComment = "syntax_comment",
    SyntaxFunction = "syntax_function",
    SyntaxType = "syntax_type",
    SyntaxNumber = "syntax_number",
    SyntaxConstant = "syntax_constant",
    SyntaxOperator = "syntax_operator",
    SyntaxVariable = "syntax_variable",
    SyntaxPunctuation = "syntax_punctuation",
    SyntaxTag = "syntax_tag",
    SyntaxAttribute = "syntax_attribute",
    SyntaxHeading = "syntax_heading",
    SyntaxInserted = "syntax_inserted",
    SyntaxDeleted = "syntax_deleted",
}
