-- Words of a shell line: quotes, escapes, and what else a word is made of. A word is `value` (unquoted; what is put in for an
-- expansion isn't known, so its source stands there), `raw` (as it is written), `plain` (only what isn't quoted), and
-- `dynamic` if the real word or words are not known before the line runs.
local reader = require("panto.extensions.permissions.shell.reader")
local expansion = require("panto.extensions.permissions.shell.expansion")
local fail = reader.fail

local quotes = {}
expansion.quotes = quotes -- each needs the other

--- At `'`.
function quotes.single(p)
  local close = p.text:find("'", p.at + 1, true)
  if not close then
    fail("a single quote without its end")
  end
  local text = p.text:sub(p.at + 1, close - 1)
  if #p.pending > 0 and text:find("\n", 1, true) then
    fail("a here-document that begins inside of quotes")
  end
  p.at = close + 1
  return text
end

--- Up to an unquoted `"`, or to the end of a here-document: its text, and whether something is put in.
local function expanding(p, closed)
  local pieces, dynamic = {}, false
  while true do
    local at, _, c = p.text:find(closed and '(["$`\\])' or "([$`\\])", p.at)
    pieces[#pieces + 1] = p.text:sub(p.at, (at or 0) - 1)
    if not at then
      if closed then
        fail("a double quote without its end")
      end
      return table.concat(pieces), dynamic
    end
    p.at = at + 1
    if c == '"' then
      return table.concat(pieces), dynamic
    elseif c == "\\" then
      local escaped = reader.char(p)
      if escaped ~= "\n" then
        pieces[#pieces + 1] = escaped:find('[$`"\\]') and escaped or "\\" .. escaped
      end
      p.at = at + 2
    else
      p.at = at
      dynamic = expansion.any(p, true) or dynamic
      pieces[#pieces + 1] = p.text:sub(at, p.at - 1)
    end
  end
end

--- At `"`.
function quotes.double(p)
  local start = p.at
  p.at = start + 1
  local text, dynamic = expanding(p, true)
  if #p.pending > 0 and p.text:sub(start, p.at - 1):find("\n", 1, true) then
    fail("a here-document that begins inside of quotes")
  end
  return text, dynamic
end

--- The body of a here-document that expands.
function quotes.body(p)
  expanding(p, false)
end

local LETTERS = { a = "\a", b = "\b", e = "\27", E = "\27", f = "\f", n = "\n", r = "\r", t = "\t", v = "\v" }

--- One escape of `$'…'` at its backslash: the character, or nil if it isn't known.
local function escape(p)
  local c = reader.char(p, 1)
  local digits = p.text:match("^x(%x%x?)", p.at + 1)
  local octal = p.text:match("^[0-7][0-7]?[0-7]?", p.at + 1)
  if digits then
    p.at = p.at + 2 + #digits
    return string.char(tonumber(digits, 16))
  elseif octal then
    p.at = p.at + 1 + #octal
    return string.char(tonumber(octal, 8) % 256)
  end
  p.at = p.at + 2
  return LETTERS[c] or c:find("[\\'\"?]") and c or nil
end

--- At `$'`. Shells that don't know it end it at an escaped quote.
function quotes.ansi(p)
  local start, pieces, dynamic = p.at, {}, false
  p.at = start + 2
  while true do
    local at, _, c = p.text:find("(['\\])", p.at)
    if not at then
      fail("a single quote without its end")
    end
    pieces[#pieces + 1] = p.text:sub(p.at, at - 1)
    p.at = at
    if c == "'" then
      p.at = at + 1
      break
    elseif reader.char(p, 1) == "'" and not (p.shell == "bash" or p.shell == "zsh") then
      fail("`\\'` inside of `$'…'`")
    end
    local known = escape(p)
    dynamic = dynamic or not known or known:find("[\0-\8\11-\31\127]") ~= nil
    pieces[#pieces + 1] = known or p.text:sub(at, p.at - 1)
  end
  if #p.pending > 0 and p.text:sub(start, p.at - 1):find("\n", 1, true) then
    fail("a here-document that begins inside of quotes")
  end
  return table.concat(pieces), dynamic
end

--- Whether a shell puts other words in for what isn't quoted: patterns, `{a,b}`, `~`.
local function unfolds(plain)
  if not plain:find("[*?~={%[]") then
    return nil
  end
  local open = plain:find("{", 1, true)
  local parts = open and (plain:find(",", open, true) or plain:find("..", open, true))
  local bracket = plain:find("[", 1, true)
  return plain:find("[*?]") or plain:find("^~") or plain:find("[=:]~") or plain:find("^=[%w_]")
    or parts and plain:find("}", parts, true) or bracket and plain:find("]", bracket, true)
end

--- What a word goes on with here: its value, whether that is quoted, whether it is dynamic; nil at its end.
local function piece(p, c)
  reader.step(p.out, 1)
  local start = p.at
  if c == "'" then
    return quotes.single(p), true, false
  elseif c == '"' then
    local text, dynamic = quotes.double(p)
    return text, true, dynamic
  elseif c == "$" and p.text:find("^['\"]", start + 1) then
    if reader.char(p, 1) == "'" then
      local text, dynamic = quotes.ansi(p)
      return text, true, dynamic
    end
    p.at = start + 1
    local text, dynamic = quotes.double(p)
    return text, true, dynamic
  elseif c == "$" or c == "`" then
    local expands = expansion.any(p, false)
    return p.text:sub(start, p.at - 1), expands, expands
  elseif c == "\\" then
    p.at = start + 2
    local escaped = p.text:sub(start + 1, start + 1)
    if escaped == "" then
      fail("a backslash at the end")
    end
    return escaped ~= "\n" and escaped or "", escaped ~= "\n", false
  elseif (c == "<" or c == ">") and reader.char(p, 1) == "(" then
    p.at = start + 2
    expansion.commands(p)
    return p.text:sub(start, p.at - 1), true, true
  elseif c == "<" or c == ">" then
    reader.unbroken({ text = p.text, at = start + 1 })
  end
end

--- The word here; nil if none begins (a comment is none).
function quotes.word(p)
  if reader.char(p) == "#" then
    return nil
  end
  reader.step(p.out, 1)
  local start, values, plain, dynamic, quoted = p.at, {}, {}, false, false
  while true do
    local _, last = p.text:find("^[^ \t\n;&|<>()'\"$`\\]+", p.at)
    if last then
      local run = p.text:sub(p.at, last)
      values[#values + 1], plain[#plain + 1] = run, run
      p.at = last + 1
    end
    local c = reader.char(p)
    local value, hidden, unknown
    if c ~= "" then
      value, hidden, unknown = piece(p, c)
    end
    if not value then
      break
    end
    values[#values + 1] = value
    plain[#plain + 1] = hidden and "" or value
    dynamic, quoted = dynamic or unknown, quoted or hidden
  end
  if p.at == start then
    return nil
  end
  plain = table.concat(plain)
  return {
    value = table.concat(values), raw = p.text:sub(start, p.at - 1), plain = plain, quoted = quoted,
    dynamic = dynamic or unfolds(plain) ~= nil,
  }
end

return quotes
