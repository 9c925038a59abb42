---@meta

--- Text on a screen, and bytes of unknown origin.
---@class panto.text
panto.text = {}

--- Columns that a text takes.
---@param text string
---@return integer
function panto.text.width(text) end

--- The text in at most so many columns, with an ellipsis where something was cut.
---@param text string
---@param columns integer
---@return string
function panto.text.truncate(text, columns) end

--- Lines of at most so many columns, broken between words.
---@param text string
---@param columns integer
---@return string[]
function panto.text.wrap(text, columns) end

--- Without escape sequences.
---@param text string
---@return string
function panto.text.strip(text) end

--- Valid UTF-8 without control characters: `␀` and U+FFFD stand for what can't be shown.
---@param bytes string
---@return string
function panto.text.clean(bytes) end

--- Output of a program as a terminal would have left it: without escape sequences and what was written over.
---@param bytes string
---@return string
function panto.text.settle(bytes) end

--- Whether bytes are something else than text.
---@param bytes string
---@return boolean
function panto.text.is_binary(bytes) end

---@param bytes string
---@return boolean
function panto.text.is_utf8(bytes) end

--- UTF-16 that begins with its mark as UTF-8; nil for anything else.
---@param bytes string
---@return string?
function panto.text.from_utf16(bytes) end

--- The names most like a word, best first.
---@param word string
---@param names string[]
---@param most? integer 3
---@return string[]
function panto.text.nearest(word, names, most) end
