---@meta

--- Differences of texts, and replacing a passage.
---@class panto.diff
panto.diff = {}

--- A unified diff; empty when nothing differs.
---@param old string
---@param new string
---@param options? { context?: integer, path?: string } 3 lines; the path for the header
---@return string
function panto.diff.unified(old, new, options) end

--- What two texts have in common and what not, by words.
---@param old string
---@param new string
---@return { sign: "="|"-"|"+", text: string }[]
function panto.diff.words(old, new) end

---@class panto.diff.Replaced
---@field count integer
---@field lines integer[] where it was found, in the text as it was
---@field loosely boolean it was found by looking past white space at line ends or typographic characters

---@class panto.diff.Refusal
---@field kind "empty"|"no_change"|"ambiguous"|"not_found"
---@field lines? integer[] of the occurrences, when it is ambiguous
---@field line? integer the most similar line, when it was not found
---@field text? string what is there
---@field white_space? boolean only white space differs there

--- Replaces a passage of a text: the only occurrence, or every one. Line ends don't matter for finding, and stay.
---@param text string
---@param old string
---@param new string
---@param options? { replace_all?: boolean }
---@return string? changed nil when nothing was replaced
---@return panto.diff.Replaced|panto.diff.Refusal how
function panto.diff.replace(text, old, new, options) end
