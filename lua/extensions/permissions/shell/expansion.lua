-- What a shell puts in for `$…` and backticks. The values are unknown, so only two things count: where an expansion ends,
-- and which commands it runs. Some run commands that stand nowhere as such: arithmetic evaluates the value of a variable
-- (`x='a[$(rm y)]'; echo $((x))`), so do `${!x}` and `${x@P}`. Those become an opaque part, one without a program.
local reader = require("panto.extensions.permissions.shell.reader")
local fail = reader.fail

local expansion = {}

--- Says that something runs here which can't be named.
function expansion.opaque(p, source)
  p.out.emit(p, { words = { source }, dynamic = { true } })
end

--- A variable gets a value in passing. Only small names without a meaning to programs go without saying.
function expansion.assigned(p, name, text)
  if not name:find("^%l[%l%d]*$") or name:find("path$") then
    p.out.emit(p, { words = {}, dynamic = {}, assignments = { name .. "=" .. text } })
  end
end

--- Commands up to the closing bracket, behind the opening one.
function expansion.commands(p)
  reader.apart(p, p.out.list, ")")
end

--- Behind `((`: to behind `))`. True if its value depends on a variable.
function expansion.arithmetic(p, start)
  local open = 0
  while true do
    local at, _, c = p.text:find("([()$`\"'\\])", p.at)
    if not at then
      fail("`((` without its end")
    end
    p.at = at + 1
    if c == "(" then
      open = open + 1
    elseif c == ")" and open > 0 then
      open = open - 1
    elseif c == ")" then
      if reader.char(p) ~= ")" then
        fail("`((` that is no arithmetic")
      end
      p.at = p.at + 1
      return p.text:sub(start, p.at - 1):find("[%a_$`]") ~= nil
    elseif c == "$" or c == "`" then
      p.at = at
      expansion.any(p, true)
    elseif c == '"' then
      p.at = at
      expansion.quotes.double(p)
    else
      fail("quotes in arithmetic")
    end
  end
end

--- `[…]` behind a name, as in `${x[1]}`.
local function subscript(p)
  local start, open = p.at, 0
  while true do
    local at, _, c = p.text:find("([%[%]$`\"'\\\n}])", p.at)
    if not at or c:find("[\"'\\\n}]") then
      fail("a subscript that can't be read")
    end
    p.at = at + 1
    if c == "[" then
      open = open + 1
    elseif c == "]" then
      open = open - 1
      if open == 0 then
        return p.text:sub(start + 1, at - 1)
      end
    else
      p.at = at
      expansion.any(p, true)
    end
  end
end

--- One character of meaning in the word of `${x:-word}`.
local function inside(p, c, quoted)
  local start = p.at
  if c == "$" or c == "`" then
    expansion.any(p, quoted)
  elseif c == "\\" then
    p.at = start + 2
  elseif c == '"' then
    expansion.quotes.double(p)
    if quoted and p.text:sub(start, p.at - 1):find("}", 1, true) then
      fail("quotes inside of `\"${…}\"`")
    end
  elseif c == "'" and not quoted then
    expansion.quotes.single(p)
  elseif (c == "<" or c == ">") and (quoted or reader.char(p, 1) ~= "(") then
    p.at = start + 1
  elseif c == "<" or c == ">" then
    p.at = start + 2
    expansion.commands(p)
  else
    fail(("`%s` inside of `${…}`"):format(c))
  end
end

--- The rest of `${x…}`, to behind the bracket.
local function rest(p, quoted)
  local start = p.at
  while true do
    local at, _, c = p.text:find("([}$`\"'\\<>{])", p.at)
    if not at then
      fail("`${` without its end")
    end
    p.at = at
    if c == "}" then
      p.at = at + 1
      return p.text:sub(start, at - 1)
    end
    inside(p, c, quoted)
  end
end

--- Behind `${`.
local function parameter(p, start, quoted)
  local _, last, sign, name = p.text:find("^([#!]?)([%a_][%w_]*)", p.at)
  if not last then
    _, last, sign, name = p.text:find("^(#?)(%d+)", p.at)
  end
  if not last then
    _, last, sign, name = p.text:find("^(#?)([@*#?$!%-])", p.at)
  end
  if not last then
    fail("`${` before something that is no name")
  end
  p.at = last + 1
  local opaque = sign == "!"
  if reader.char(p) == "[" then
    opaque = not subscript(p):find("^[%d@*]*$") or opaque
  end
  local how = rest(p, quoted)
  if how:find("^@[%a]*P") or how:find("^:[^-=?+]") and how:find("[%a_$`]") then
    opaque = true
  elseif how:find("^:?=") then
    expansion.assigned(p, name, (how:gsub("^:?=", "")))
  end
  if opaque then
    expansion.opaque(p, p.text:sub(start, p.at - 1))
  end
end

--- What is between backticks, without the backslashes that stand for them alone.
local function backticks(p, quoted)
  local pieces = {}
  p.at = p.at + 1
  while true do
    local at, _, c = p.text:find("([`\\])", p.at)
    if not at then
      fail("a backtick without its end")
    end
    pieces[#pieces + 1] = p.text:sub(p.at, at - 1)
    p.at = at + 1
    if c == "`" then
      return table.concat(pieces)
    end
    local escaped = reader.char(p)
    if escaped == '"' and quoted then
      fail("`\\\"` between backticks")
    end
    pieces[#pieces + 1] = escaped:find("[$`\\]") and escaped or "\\" .. escaped
    p.at = p.at + 1
  end
end

local function dollar(p, start, quoted)
  local c = reader.char(p, 1)
  if c == "(" and reader.char(p, 2) == "(" then
    p.at = start + 3
    if reader.deeper(p, expansion.arithmetic, start + 3) then
      expansion.opaque(p, p.text:sub(start, p.at - 1))
    end
  elseif c == "(" then
    p.at = start + 2
    expansion.commands(p)
  elseif c == "{" then
    p.at = start + 2
    reader.deeper(p, parameter, start, quoted)
  elseif c == "[" or c == "\\" and reader.sees(p, "$\\\n") then
    fail(c == "[" and "`$[`" or "a line break behind `$`")
  else
    local _, last = p.text:find("^[%a_][%w_]*", start + 1)
    last = last or select(2, p.text:find("^[%d@*#?$!%-=~^+:]", start + 1))
    p.at = (last or start) + 1
    return last ~= nil
  end
  return true
end

--- At `$` or a backtick: to behind the expansion. False if it is a dollar sign and nothing else.
function expansion.any(p, quoted)
  reader.step(p.out, 1)
  local start, expands = p.at, true
  if reader.char(p) == "`" then
    local text = backticks(p, quoted)
    local q = reader.inside(p, text)
    p.out.list(q, "")
  else
    expands = dollar(p, start, quoted)
  end
  if #p.pending > 0 and p.text:sub(start, p.at - 1):find("\n", 1, true) then
    fail("a here-document that begins inside of an expansion")
  end
  return expands
end

return expansion
