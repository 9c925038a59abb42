---@meta

--- What a piece of the screen means; themes give each a style.
---@alias panto.Role
---| "text" | "dim" | "accent" | "user" | "assistant" | "thinking"
---| "heading1" | "heading2" | "heading3" | "strong" | "emphasis" | "strikethrough"
---| "code" | "code_block" | "quote" | "link" | "list_marker" | "table_border"
---| "table_header" | "rule" | "tool_running" | "tool_done" | "tool_error" | "tool_output"
---| "diff_added" | "diff_removed" | "diff_added_word" | "diff_removed_word" | "diff_hunk" | "diff_line_number"
---| "border" | "border_focus" | "status" | "status_accent" | "prompt" | "placeholder"
---| "selection" | "picker_match" | "search_match" | "warning" | "error" | "notice"
---| "success" | "syntax_keyword" | "syntax_string" | "syntax_comment" | "syntax_function" | "syntax_type"
---| "syntax_number" | "syntax_constant" | "syntax_operator" | "syntax_variable" | "syntax_punctuation" | "syntax_tag"
---| "syntax_attribute" | "syntax_heading" | "syntax_inserted" | "syntax_deleted"

--- Words in one role; without one that of the place.
---@class panto.Span
---@field text string
---@field role? panto.Role

---@alias panto.Line string|panto.Span|(string|panto.Span)[] words; a list is put together

--- Words, one of the tables below, or a list of them, one below the other. An element that is too large is cut, with a
--- mark; one that is wrong raises, naming the field: `element.children[2].role: no role …`.
---@alias panto.Element panto.Line|panto.element.Text|panto.element.List|panto.element.Table|panto.element.Gauge|panto.element.KeyValue|panto.element.Box|panto.element.Rule|panto.element.Code|panto.element.Source|panto.Element[]

---@class panto.element.Text
---@field type "text"|"line" wrapped, or one row that is cut
---@field text? panto.Line
---@field spans? panto.Line the same
---@field role? panto.Role of what has none

---@class panto.element.List
---@field type "list"
---@field items panto.Element[]
---@field ordered? boolean with numbers

---@class panto.element.Table
---@field type "table"
---@field header? panto.Line[]
---@field rows panto.Line[][]
---@field align? ("left"|"center"|"right")[] by column

---@class panto.element.Gauge
---@field type "gauge"
---@field value number
---@field max? number where it is full (1)
---@field label? panto.Line
---@field role? panto.Role
---@field width? integer columns of the bar (20)

---@class panto.element.KeyValue
---@field type "key_value"
---@field pairs panto.Line[][]|table<string, panto.Line> pairs `{ name, value }`, or a table, in the order of its names

---@class panto.element.Box
---@field type "row"|"column" side by side, or one below the other
---@field children panto.Element[]
---@field gap? integer columns or rows between two (2 in a row, 0 in a column)

---@class panto.element.Rule
---@field type "rule"
---@field title? panto.Line
---@field role? panto.Role

---@class panto.element.Code
---@field type "code"
---@field text string
---@field language? string a name or an extension of a file

---@class panto.element.Source
---@field type "diff"|"markdown"
---@field text string
