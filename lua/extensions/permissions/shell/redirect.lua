-- Redirections and here-documents of shell lines: which files a command writes and reads.
local reader = require("panto.extensions.permissions.shell.reader")
local quotes = require("panto.extensions.permissions.shell.quotes")
local fail = reader.fail

local redirect = {}

local OPERATORS = { "&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">" }

--- The operator here, behind a number or `{name}`; nil if there is none. And where it ends, and that name.
function redirect.operator(p)
  local from, name = p.at, nil
  local _, last = p.text:find("^%d+", from)
  if not last then
    _, last, name = p.text:find("^{([%a_][%w_]*)}", from)
  end
  if last and p.text:find("^[<>]", last + 1) then
    from = last + 1
  end
  if p.text:find("^[<>]%(", from) then
    return nil
  end
  for _, operator in ipairs(OPERATORS) do
    if p.text:sub(from, from + #operator - 1) == operator then
      return operator, from + #operator, name
    end
  end
end

--- `EOF`, `'EOF'`, `"EOF"`, `\EOF`: the word, and whether it is quoted.
local function delimiter(p)
  for _, form in ipairs { "^'([^'\n]*)'()", '^"([^"\\$`\n]*)"()', "^\\([%w_]+)()", "^([%w_%-.!+/:@%%,#]+)()" } do
    local word, next = p.text:match(form, p.at)
    if word and (next > #p.text or p.text:find("^[%s;&|<>()]", next)) then
      local quoted = p.text:find("^['\"\\]", p.at) ~= nil
      p.at = next
      return word, quoted
    end
  end
  fail("a here-document whose end can't be told")
end

local function document(p, strip)
  local word, quoted = delimiter(p)
  p.pending[#p.pending + 1] = { word = word, quoted = quoted, strip = strip }
end

--- Notes what the operator does to its target.
local function note(part, operator, target, shell)
  local path = { path = target.value, dynamic = target.dynamic, op = operator }
  local copies = operator == "<&" or operator == ">&" and target.value:find("^%d*%-?$")
  if copies or operator == "<<<" or target.raw:find("^[<>]%(") and target.raw:find("%)$") then
    return
  elseif operator == "<" then
    part.reads[#part.reads + 1] = path
  else
    part.writes[#part.writes + 1] = path
  end
  -- A plain `sh` takes `x &> f y` for two commands.
  part.split = part.split or operator:find("^&") and shell ~= "bash" and shell ~= "zsh"
end

--- Takes a redirection of `part`; false if none stands here.
function redirect.take(p, part)
  local operator, next, name = redirect.operator(p)
  if not operator then
    return false
  end
  reader.step(p.out, 1)
  p.at = next
  reader.unbroken(p)
  reader.blanks(p)
  if name then
    part.assignments[#part.assignments + 1] = name .. "="
  end
  if operator == "<<" or operator == "<<-" then
    document(p, operator == "<<-")
    return true
  end
  local target = quotes.word(p)
  if not target or target.raw:find("^!") then
    fail(("`%s` without a file"):format(operator))
  end
  note(part, operator, target, p.shell)
  return true
end

--- Whether a line ends with a backslash that joins it with the next.
local function joins(line)
  return #line:match("\\*$") % 2 == 1
end

--- The body of one here-document, from the beginning of a line.
local function body(p, wanted)
  local lines, joined = {}, nil
  while p.at <= #p.text do
    local stop = p.text:find("\n", p.at, true) or #p.text + 1
    local line = p.text:sub(p.at, stop - 1)
    line = wanted.strip and line:gsub("^\t+", "") or line
    p.at = stop + 1
    if joined and (line == wanted.word or joined .. line == wanted.word) then
      fail("a here-document whose end can't be told")
    elseif not joined and line == wanted.word then
      return table.concat(lines, "\n")
    end
    lines[#lines + 1] = line
    -- Only a short one can be a beginning of the word.
    local short = (joined or "") .. line
    joined = not wanted.quoted and joins(line) and (#short < 512 and short:sub(1, -2) or "\n") or nil
  end
  fail("a here-document without its end")
end

--- The bodies of all here-documents of the line that has just ended.
function redirect.bodies(p)
  local pending = p.pending
  p.pending = {}
  for _, wanted in ipairs(pending) do
    local text = body(p, wanted)
    if not wanted.quoted and text:find("[$`]") then
      quotes.body(reader.inside(p, text))
    end
  end
end

return redirect
