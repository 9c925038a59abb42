---@meta

---@class panto.GrepQuery: panto.fs.Walk
---@field pattern string a regular expression of Rust's dialect
---@field path? string a folder or a file; the working directory
---@field ignore_case? boolean
---@field literal? boolean the pattern is plain text
---@field multiline? boolean a match may span lines
---@field context? integer lines around each match
---@field before? integer
---@field after? integer
---@field max_matches? integer 1000

---@class panto.GrepLine
---@field number integer
---@field text string cut after 500 bytes
---@field match boolean false: it is there for context

---@class panto.GrepFile
---@field path string below `path`
---@field matches integer
---@field lines panto.GrepLine[]

---@class panto.GrepAnswer
---@field files panto.GrepFile[]
---@field matches integer
---@field more boolean there are more than `max_matches`
---@field searched integer files that were looked through

--- Searches files, without binary ones and without what ignore files name.
---@param query panto.GrepQuery
---@return panto.GrepAnswer
function panto.grep(query) end
