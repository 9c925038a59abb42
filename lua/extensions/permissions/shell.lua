-- Takes command lines apart, for rules and for people: which simple commands run, wherever they stand, and which files they
-- write. It reads what bash, dash and zsh agree on. All that they don't, and all that isn't understood for certain, is a
-- problem, and a problem is asked about: better a question too many than a command that nobody saw.
local reader = require("panto.extensions.permissions.shell.reader")
local grammar = require("panto.extensions.permissions.shell.grammar")
local wrappers = require("panto.extensions.permissions.shell.wrappers")

local shell = {}

--- Builtins that evaluate the subscript in a word like `a[$(rm x)]`, quoted or not.
local EVALUATES = {}
for name in ("printf read unset let declare typeset local export readonly getopts mapfile readarray wait test ["):gmatch("%S+") do
  EVALUATES[name] = true
end

local SHELLS = { sh = true, bash = true, dash = true, zsh = true, ksh = true }

--- Whether an unknown word may turn out to be code for the builtin: an option with what belongs to it, or a name.
local function unsure(part, i)
  if part.program == "test" or part.program == "[" then
    return part.dynamic[i - 1]
  elseif part.program == "printf" then
    return i == 2
  end
  return not part.words[i]:find("^[%a_][%w_]*%+?=")
end

--- Whether a builtin evaluates, or may evaluate, what it is given. `loose` words may turn out to be several.
local function evaluates(part)
  if not EVALUATES[part.program] then
    return false
  elseif part.loose then
    return true
  end
  for i = 2, #part.words do
    local word = part.words[i]
    local code = not part.dynamic[i] and word:find("[", 1, true) and word:find("[$`]")
    if code or part.dynamic[i] and unsure(part, i) then
      return true
    end
  end
  return false
end

--- Completes a part, keeps it, and goes on with the commands that it runs itself.
local function emit(p, part)
  reader.step(p.out, 4)
  part.assignments, part.writes, part.reads = part.assignments or {}, part.writes or {}, part.reads or {}
  part.split, part.inner = nil, part.inner or p.inner or false
  part.text = table.concat(part.words, " ")
  part.program = not part.dynamic[1] and part.words[1] or nil
  if evaluates(part) then
    part.program, part.dynamic[1] = nil, true
  end
  p.out.parts[#p.out.parts + 1] = part
  if part.program then
    wrappers.expand(p, part)
  end
  part.loose = nil
end

local function all(line, name)
  local out = reader.out(emit)
  out.list = grammar.list
  local p = reader.new(line, out, 1, name)
  grammar.list(p, "")
  return out.parts
end

local function refusal(line, name)
  if type(line) ~= "string" then
    return "it is no text"
  elseif #line > reader.LONGEST then
    return "it is longer than 64 KiB"
  elseif line:find("[\0-\8\11-\31\127]") then
    return "it has control characters"
  elseif not utf8.len(line) then
    return "it is no UTF-8"
  elseif name and not SHELLS[name] then
    return ("%s has a language of its own"):format(name)
  end
end

---@class permissions.shell.Part one simple command
---@field words string[] without quotes; what isn't known before it runs stands as it is written
---@field program? string the first word, if that is known
---@field text string the words with one blank between them
---@field dynamic table<integer, boolean> which words are not known
---@field assignments string[] `X=1`, before the command or alone
---@field unknown? boolean an assignment has a value that isn't known
---@field writes { path: string, dynamic: boolean, op: string }[]
---@field reads { path: string, dynamic: boolean, op: string }[]
---@field inner boolean another part runs it, as in `sh -c 'x'`
---@field unseen? boolean it is somewhere among these words: `strace -f x`

--- The commands of a line in order; nil and why not if it can't be told. A part may be without words: an assignment,
--- or the redirection of a compound command.
---@param line string
---@param name? string the shell that will read it: `bash`; what all of them would agree on if it isn't known
---@return permissions.shell.Part[]?, string?
function shell.split(line, name)
  local why = refusal(line, name)
  if why then
    return nil, why
  end
  local ok, found = pcall(all, line, name)
  if ok then
    return found
  end
  return nil, reader.why(found) or "it can't be parsed"
end

return shell
