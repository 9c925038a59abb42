-- Commands of shell lines: lists, pipelines, the compound ones (`if`, `for`, `case` …), functions, simple ones. All of the
-- grammar is checked, since a word too few or too many would mean that the shell reads the line in another way. Reserved
-- words count only where a command may begin.
local reader = require("panto.extensions.permissions.shell.reader")
local expansion = require("panto.extensions.permissions.shell.expansion")
local quotes = require("panto.extensions.permissions.shell.quotes")
local redirect = require("panto.extensions.permissions.shell.redirect")
local fail = reader.fail

local grammar = {}

local CLOSING = { ["then"] = true, ["do"] = true, ["done"] = true, fi = true, ["elif"] = true, ["else"] = true, ["esac"] = true, ["}"] = true }
local COMPOUND = {} -- by the reserved word that begins it
local PREFIX = { ["!"] = true, coproc = true, time = true }

--- The literal word here, as far as it may be a reserved one, and where it ends.
local function literal(p)
  local word, next = p.text:match("^([%l%[%]!{}]+)()", p.at)
  if word and (next > #p.text or p.text:find("^[%s;&|<>()]", next)) then
    return word, next
  end
end

--- Skips blanks, comments and line breaks, with the here-documents that begin behind those.
local function skip(p)
  while true do
    reader.blanks(p)
    local c = reader.char(p)
    if c == "#" then
      p.at = p.text:find("\n", p.at, true) or #p.text + 1
    elseif c == "\n" and #p.pending > 0 then
      p.at = p.at + 1
      redirect.bodies(p)
    elseif c == "\n" then
      p.at = p.text:find("[^ \t\n]", p.at) or #p.text + 1
    else
      return
    end
  end
end

--- What ends a list here, and where that ends; nil if a command begins.
local function closing(p)
  if p.at > #p.text then
    return "", p.at
  elseif reader.char(p) == ")" then
    return ")", p.at + 1
  end
  local _, last = p.text:find("^;;&?", p.at)
  if not last then
    _, last = p.text:find("^;&", p.at)
  end
  if last then
    return ";;", last + 1
  end
  local word, next = literal(p)
  if CLOSING[word] then
    return word, next
  end
end

--- What parts commands here: "and" if another one must follow, "end" if one may; nil if there is nothing.
local function separator(p)
  reader.blanks(p)
  local at, text = p.at, p.text
  local _, last = text:find("^&&", at)
  if not last then
    _, last = text:find("^||", at)
  end
  if not last then
    _, last = text:find("^|&?", at)
  end
  local kind = last and "and" or "end"
  if not last and not text:find("^;[;&]", at) then
    _, last = text:find("^[;&]", at)
  end
  if last then
    p.at = last + 1
    reader.unbroken(p)
    return kind
  end
  local c = reader.char(p)
  return (c == "\n" or c == "#") and "end" or nil
end

--- Commands up to one of the words, to behind it; that word.
local function list(p, ...)
  local wanted = {}
  for _, word in ipairs { ... } do
    wanted[word] = true
  end
  local needed, parted = false, true
  while true do
    skip(p)
    local word, next = closing(p)
    if word then
      if not wanted[word] or needed then
        fail(word == "" and "it ends too early" or ("`%s` where none can be"):format(word))
      elseif word == "" and #p.pending > 0 then
        fail("a here-document without its end")
      end
      p.at = next
      return word
    elseif not parted then
      fail("a command that doesn't end")
    end
    reader.deeper(p, grammar.command)
    local kind = separator(p)
    needed, parted = kind == "and", kind ~= nil
  end
end

--- The same for readers of inner texts.
function grammar.list(p, ...)
  return list(p, ...)
end

local function part()
  return { words = {}, dynamic = {}, assignments = {}, writes = {}, reads = {} }
end

--- Redirections behind a compound command: a part without words, if they are of files.
local function redirections(p)
  local found = part()
  repeat
    reader.blanks(p)
  until not redirect.take(p, found)
  if #found.writes + #found.reads + #found.assignments > 0 then
    p.out.emit(p, found)
  end
end

--- A reserved word that has to stand here.
local function expect(p, wanted)
  local word, next = literal(p)
  if word ~= wanted then
    fail(("`%s` is missing"):format(wanted))
  end
  p.at = next
end

local function word(p, what)
  reader.blanks(p)
  return quotes.word(p) or fail(what .. " is missing")
end

COMPOUND["if"] = function(p)
  local how
  repeat
    list(p, "then")
    how = list(p, "elif", "else", "fi")
  until how ~= "elif"
  if how == "else" then
    list(p, "fi")
  end
end

COMPOUND["while"] = function(p)
  list(p, "do")
  list(p, "done")
end
COMPOUND["until"] = COMPOUND["while"]

COMPOUND["{"] = function(p)
  list(p, "}")
end

--- `((`, at its first bracket.
local function arithmetic(p)
  local start = p.at
  p.at = start + 2
  expansion.arithmetic(p, start + 2)
  local source = p.text:sub(start, p.at - 1)
  if source:find("[%w_)]%s+[%w_./~-]") then
    fail("`((` that is no arithmetic") -- a plain `sh` would run it
  end
  expansion.opaque(p, source)
end

--- `in a b` of a loop.
local function values(p)
  local source = {}
  while true do
    reader.blanks(p)
    local value = quotes.word(p)
    if not value then
      break
    end
    source[#source + 1] = value.raw
  end
  if not p.text:find("^[;\n#]", p.at) then
    fail("the words of a loop don't end")
  elseif reader.char(p) == ";" then
    p.at = p.at + 1
  end
  return table.concat(source, " ")
end

COMPOUND["for"] = function(p)
  reader.blanks(p)
  if reader.sees(p, "((") then
    arithmetic(p)
  else
    local name = word(p, "the name of a loop")
    if not name.raw:find("^[%a_][%w_]*$") then
      fail("a loop over something that is no name")
    end
    skip(p)
    if literal(p) == "in" then
      p.at = p.at + 2
      expansion.assigned(p, name.value, values(p))
    else
      expansion.assigned(p, name.value, "$@")
    end
  end
  skip(p)
  if reader.char(p) == ";" then
    p.at = p.at + 1
    skip(p)
  end
  expect(p, "do")
  list(p, "done")
end
COMPOUND["select"] = COMPOUND["for"]

--- `a|b)`, behind the opening bracket if there is one.
local function patterns(p)
  repeat
    word(p, "a pattern")
    reader.blanks(p)
    local c = reader.char(p)
    p.at = p.at + 1
    if c ~= "|" and c ~= ")" then
      fail("a pattern that doesn't end")
    end
  until c == ")"
end

COMPOUND["case"] = function(p)
  word(p, "what `case` is about")
  skip(p)
  expect(p, "in")
  local ended
  repeat
    skip(p)
    if reader.char(p) == "(" then
      p.at = p.at + 1
    elseif literal(p) == "esac" then
      expect(p, "esac")
      return
    end
    patterns(p)
    ended = list(p, ";;", "esac")
  until ended == "esac"
end

--- A function's name may be anything that a command's may; its body is what runs.
local function body(p)
  skip(p)
  grammar.command(p)
end

COMPOUND["function"] = function(p)
  if not word(p, "the name of a function").raw:find("^[%w_.:%-]+$") then
    fail("a function whose name can't be read")
  end
  reader.blanks(p)
  local _, last = p.text:find("^%([ \t]*%)", p.at)
  p.at = (last or p.at - 1) + 1
  body(p)
end

--- `[[ … ]]`. What evaluates its words, or what a plain `sh` reads as two commands or a redirection, has no program.
COMPOUND["[["] = function(p)
  local found, opaque = part(), false
  found.words[1] = "[["
  while true do
    reader.blanks(p)
    local c, here = reader.char(p), quotes.word(p)
    if here then
      found.words[#found.words + 1] = here.value
      found.dynamic[#found.words] = here.dynamic or nil
      opaque = opaque or here.raw:find("^%-%l%l$") or here.raw:find("^%-[vR]$")
      if here.raw == "]]" then
        break
      end
    else
      local sign = p.text:match("^[&|<>()\n]+", p.at) or fail("`[[` without its end")
      if sign:find("\n", 1, true) and #p.pending > 0 or sign:find("&", 1, true) and sign ~= "&&" then
        fail("`[[` that can't be read")
      end
      p.at, opaque = p.at + #sign, opaque or c ~= "\n"
      found.words[#found.words + 1] = sign
    end
  end
  found.dynamic[1] = opaque and true or nil
  p.out.emit(p, found)
end

--- Words before a command that are none. `time` with options is a program.
local function prefixes(p)
  while true do
    local word, next = literal(p)
    if not PREFIX[word] then
      return
    end
    local options = word == "time" and p.text:match("^[ \t]+(%-%S*)", next)
    if options and options ~= "-p" then
      return
    end
    p.at = next + (options and p.text:match("^[ \t]+%-p()", next) - next or 0)
    reader.blanks(p)
  end
end

--- `name()` at its bracket: true if the words before are a name.
local function defines(p, found, first)
  local _, last = p.text:find("^%([ \t]*%)", p.at)
  if not last or #found.words ~= 1 or #found.assignments + #found.writes + #found.reads > 0 or first.dynamic or first.quoted then
    fail("a bracket where none can be")
  end
  p.at = last + 1
  body(p)
end

--- `x=(a b)` at its bracket.
local function array(p)
  local start = p.at
  p.at = start + 1
  while true do
    reader.blanks(p)
    if reader.char(p) == "\n" and #p.pending == 0 then
      p.at = p.at + 1
    elseif reader.char(p) == ")" then
      p.at = p.at + 1
      return p.text:sub(start, p.at - 1)
    elseif reader.char(p) == "#" or not quotes.word(p) then
      fail("a list of values that can't be read")
    end
  end
end

--- Takes a word of a simple command: an assignment before it, or one of its words.
local function take(p, found, here)
  local source = here.raw:gsub("\\\n", "")
  local assigns = source:find("^[%a_][%w_]*%+?=") or source:find("^[%a_][%w_]*%b[]%+?=")
  local value = here.value
  if assigns and source:find("^[%w_]+%+?=$") and reader.char(p) == "(" then
    value, here.dynamic = value .. array(p), true
  end
  if assigns and #found.words == 0 then
    found.assignments[#found.assignments + 1] = value
    found.unknown = found.unknown or here.dynamic
    return
  elseif #found.words == 0 then
    local name = here.quoted and "" or here.value
    if CLOSING[name] or COMPOUND[name] or PREFIX[name] and name ~= "time" then
      fail(("`%s` where none can be"):format(name))
    elseif source:find("^[%a_][%w_]*%[") or here.plain:find("^{") and not here.dynamic and here.plain ~= "{}" then
      fail("a command whose name can't be read")
    end
  elseif found.split then
    fail("words behind `&>`")
  end
  found.words[#found.words + 1] = value
  found.dynamic[#found.words] = here.dynamic or nil
  found.loose = found.loose or here.dynamic and not here.raw:find('^"[^"]*"$') and not source:find('^[%a_][%w_]*="[^"]*"$')
end

local function simple(p)
  local found, first = part(), nil
  local start = p.at
  while true do
    reader.blanks(p)
    if not redirect.take(p, found) then
      local here = quotes.word(p)
      if not here then
        break
      end
      first = first or here
      take(p, found, here)
    end
  end
  if p.at == start then
    local c = reader.char(p)
    fail(c == "" and "it ends too early" or ("`%s` where none can be"):format(c == "\n" and "⏎" or c))
  elseif reader.char(p) == "(" then
    return defines(p, found, first)
  end
  p.out.emit(p, found)
end

--- One command with all that belongs to it.
function grammar.command(p)
  prefixes(p)
  local word, next = literal(p)
  local compound = COMPOUND[word]
  if compound then
    p.at = next
    reader.deeper(p, compound)
  elseif reader.sees(p, "((") then
    arithmetic(p)
  elseif reader.char(p) == "(" then
    p.at = p.at + 1
    reader.deeper(p, list, ")")
  else
    return simple(p)
  end
  redirections(p)
end

return grammar
