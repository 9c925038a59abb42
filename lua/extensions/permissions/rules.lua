-- Rules: `std.shell(cargo test *)`, `std.edit(src/**)`, `mcp.*`. What forbids or asks is held against a command in all its
-- spellings (`X=1 /usr/bin/git -C x push` is a `git push`); what allows only against the command as it stands, and words that
-- aren't known before it runs are for a `*` alone.
local pattern = require("panto.extensions.permissions.rules.pattern")
local programs = require("panto.extensions.permissions.rules.programs")

local rules = {}

local TOOL = "std.shell" -- the tool whose calls are command lines
local LONGEST = 64 * 1024

---@class permissions.Rule
---@field text string as it was written
---@field tool string
---@field pattern? string
---@field wildcards integer
---@field literal integer bytes of it that aren't wildcards

local function fault(text)
  if type(text) ~= "string" then
    return ("a rule is a text, not %s"):format(type(text))
  elseif text:match("^%s*$") then
    return "it is empty"
  elseif #text > LONGEST then
    return "it is longer than 64 KiB"
  elseif text:find("[%c]") then
    return "it has control characters"
  end
  local tool, rest = text:match("^([^(]*)(.*)$")
  if not tool:find("^[%w_.:*/-]+$") then
    return ("`%s` is no name of a tool"):format(tool)
  elseif rest == "" then
    return nil
  elseif not rest:find(")", 2, true) then
    return "the closing bracket is missing"
  elseif not rest:find("%)$") then
    return "there is text behind the closing bracket"
  elseif rest:match("^%(%s*%)$") then
    return "there is nothing between the brackets"
  end
end

--- A rule from its text; nil and what is wrong with it.
---@param text string
---@return permissions.Rule?, string?
function rules.read(text)
  local why = fault(text)
  if why then
    return nil, why
  end
  local tool, inside = text:match("^([^(]*)(.*)$")
  local names = pattern.plain(pattern.pieces(tool))
  local rule = { text = text, tool = tool, names = names, wildcards = #names - 1, literal = #table.concat(names) }
  if inside == "" or tool == TOOL and inside == "(*)" then
    rule.wildcards = rule.wildcards + 1
    return rule
  end
  rule.pattern = inside:sub(2, -2)
  rule.pieces = pattern.pieces(rule.pattern)
  rule.plain = pattern.plain(rule.pieces)
  rule.wildcards = rule.wildcards + #rule.pieces - 1
  rule.literal = rule.literal + #table.concat(rule.pieces)
  return rule
end

--- The ways to write a command that mean the same.
local function spellings(part)
  local found = { part.text }
  if #part.assignments > 0 then
    found[2] = table.concat(part.assignments, " ") .. " " .. part.text
  end
  local name = part.program and part.program:match("[^/]+$")
  if not name then
    return found
  end
  found[#found + 1] = name .. part.text:sub(#part.program + 1)
  local bare = programs.bare(name, part)
  if bare then
    found[#found + 1] = table.concat(bare, " ")
  end
  return found
end

local function forbids(rule, part)
  for _, text in ipairs(spellings(part)) do
    if pattern.command(rule.plain, text) then
      return true
    end
  end
  return false
end

local function allows(rule, part)
  local words, dynamic = {}, {}
  for i, assignment in ipairs(part.assignments) do
    words[i], dynamic[i] = assignment, part.unknown
  end
  local before = #words
  for i, word in ipairs(part.words) do
    words[before + i], dynamic[before + i] = word, part.dynamic[i]
  end
  return pattern.command(rule.pieces, pattern.exact(words, dynamic))
end

local function matches(rule, tool, subject, loose)
  if not pattern.matches(rule.names, tool) then
    return false
  elseif not rule.pattern then
    return true
  elseif subject.command then
    return (loose and forbids or allows)(rule, subject.command)
  elseif subject.path then
    return pattern.path(rule.pattern, subject.path, subject.cwd or "/", subject.home or os.getenv("HOME"))
  end
  return false
end

local function closer(rule, other)
  if not other or rule.wildcards ~= other.wildcards then
    return not other or rule.wildcards < other.wildcards
  end
  return rule.literal > other.literal
end

--- The rule of the list that says most about a call. `loose` is for rules that forbid or ask: a command in all spellings.
---@param list permissions.Rule[]
---@param tool string
---@param subject? { command?: permissions.shell.Part, path?: string, cwd?: string, home?: string }
---@param loose? boolean
---@return permissions.Rule?
function rules.first(list, tool, subject, loose)
  local best
  for _, rule in ipairs(list or {}) do
    if closer(rule, best) and matches(rule, tool, subject or {}, loose) then
      best = rule
    end
  end
  return best
end

--- Whether there is something to decide: a redirection of a compound command is no command.
local function runs(part)
  return #part.words + #part.assignments > 0
end

--- What the rules say about a command line: deny, ask, allow, or nil; the rule; the part that decided, or the first that no
--- rule allows.
---@param lists { allow?: permissions.Rule[], ask?: permissions.Rule[], deny?: permissions.Rule[] }
---@param parts permissions.shell.Part[]
---@return "deny"|"ask"|"allow"|nil, permissions.Rule?, permissions.shell.Part?
function rules.command(lists, parts)
  for _, verdict in ipairs { "deny", "ask" } do
    for _, part in ipairs(parts) do
      local rule = runs(part) and rules.first(lists[verdict], TOOL, { command = part }, true)
      if rule then
        return verdict, rule, part
      end
    end
    -- A rule about the tool is about lines that run nothing, too: `> file`.
    local rule = rules.first(lists[verdict], TOOL)
    if rule then
      return verdict, rule
    end
  end
  local allowed, by
  for _, part in ipairs(parts) do
    if runs(part) and not part.unseen then
      local rule = rules.first(lists.allow, TOOL, { command = part })
      if not rule then
        return nil, nil, part
      end
      allowed, by = allowed or rule, by or part
    end
  end
  return allowed and "allow" or nil, allowed, by
end

local SHELLS = { sh = true, bash = true, zsh = true, dash = true, ksh = true, ash = true }

--- Whether a part runs a text that isn't known: what comes from its input, or out of a variable.
local function runs_unknown(part, name)
  if name == "eval" then
    return next(part.dynamic) ~= nil
  elseif not SHELLS[name] then
    return false
  end
  local operands = 0
  for i = 2, #part.words do
    if part.dynamic[i] then
      return true
    end
    operands = operands + (part.words[i]:find("^[-+]") and 0 or 1)
  end
  return operands == 0
end

--- The words before the first that could turn out to be anything; nil if all are known. Patterns of files count for what
--- they are, but for the name of the program.
local function known_beginning(words, dynamic)
  for i, word in ipairs(words) do
    if dynamic[i] and (i == 1 or word:find("[$`{<]")) then
      return table.concat(words, " ", 1, i - 1) .. (i > 1 and " " or "")
    end
  end
end

--- Whether a part could turn out to be what a rule is about.
local function could_be(rule, part)
  local name = part.program and part.program:match("[^/]+$")
  if not part.program or runs_unknown(part, name) then
    return true
  end
  local beginnings = { known_beginning(part.words, part.dynamic) }
  local bare = programs.bare(name, part)
  if bare then
    local left, dynamic = #part.words - #bare, {}
    for i = 2, #bare do
      dynamic[i] = part.dynamic[i + left]
    end
    beginnings[#beginnings + 1] = known_beginning(bare, dynamic)
  end
  for _, beginning in ipairs(beginnings) do
    local text = beginning:gsub("^%S*/", "")
    if pattern.may_begin(rule.plain, beginning) or pattern.may_begin(rule.plain, text) then
      return true
    end
  end
  return false
end

--- The rule that forbids or asks about something which one of the parts could turn out to be: `$x push`, `sh -c "$x"`.
---@param lists { ask?: permissions.Rule[], deny?: permissions.Rule[] }
---@param parts permissions.shell.Part[]
---@return permissions.Rule?
function rules.unsure(lists, parts)
  for _, list in ipairs { lists.deny or {}, lists.ask or {} } do
    for _, rule in ipairs(list) do
      for _, part in ipairs(pattern.matches(rule.names, TOOL) and rule.pattern and parts or {}) do
        if runs(part) and could_be(rule, part) then
          return rule
        end
      end
    end
  end
end

--- The rule that would allow such a command from now on; nil where only a rule for every command could.
---@param part permissions.shell.Part
---@return string?
function rules.offer(part)
  local whole = table.move(part.words, 1, #part.words, #part.assignments + 1, table.move(part.assignments, 1, #part.assignments, 1, {}))
  local beginning = #part.assignments == 0 and programs.beginning(part)
  if beginning then
    local words = table.move(part.words, 1, beginning, 1, {})
    return ("%s(%s *)"):format(TOOL, pattern.written(words))
  elseif #whole == 0 or part.unknown or next(part.dynamic) then
    return nil
  end
  return ("%s(%s)"):format(TOOL, pattern.written(whole))
end

return rules
