-- The patterns of rules. For commands a `*` stands for any text, for paths it stays between two slashes and `**` doesn't.
-- A backslash takes a character's meaning: `\*`, `\\`; `\ ` is a blank inside of a word, `\t` and `\n` are what they are
-- elsewhere, `\e` is an empty word. Any other backslash is one.
local pattern = {}

-- What stands inside of words has other characters in exact texts, so that no rule takes it for what stands between words.
local UNKNOWN, BLANK, TAB, BREAK, EMPTY = "\0", "\1", "\2", "\3", "\4"
local INNER = { [" "] = BLANK, ["\t"] = TAB, ["\n"] = BREAK }
local OUTER = { [BLANK] = " ", [TAB] = "\t", [BREAK] = "\n", [EMPTY] = "" }
local ESCAPES = { ["*"] = "*", ["\\"] = "\\", [" "] = BLANK, t = TAB, n = BREAK, e = EMPTY }
local WRITTEN = { ["*"] = "\\*", ["\\"] = "\\\\", [" "] = "\\ ", ["\t"] = "\\t", ["\n"] = "\\n" }

--- The literal pieces between the stars.
function pattern.pieces(text)
  local pieces, piece, at = {}, {}, 1
  while at <= #text do
    local c, escaped = text:sub(at, at), ESCAPES[text:sub(at + 1, at + 1)]
    if c == "*" then
      pieces[#pieces + 1], piece = table.concat(piece), {}
    elseif c == "\\" and escaped then
      piece[#piece + 1] = escaped
      at = at + 1
    else
      piece[#piece + 1] = c
    end
    at = at + 1
  end
  pieces[#pieces + 1] = table.concat(piece)
  return pieces
end

--- The pieces as plain text.
function pattern.plain(pieces)
  local plain = {}
  for i, piece in ipairs(pieces) do
    plain[i] = piece:gsub("[\1-\4]", OUTER)
  end
  return plain
end

--- Whether a text is the pieces with anything between them.
function pattern.matches(pieces, text)
  local first, last = pieces[1], pieces[#pieces]
  if #pieces == 1 then
    return text == first
  elseif #text < #first + #last or text:sub(1, #first) ~= first or last ~= "" and text:sub(-#last) ~= last then
    return false
  end
  local at, stop = #first + 1, #text - #last
  for i = 2, #pieces - 1 do
    local _, found = text:find(pieces[i], at, true)
    if not found or found > stop then
      return false
    end
    at = found + 1
  end
  return true
end

--- The same; a ` *` at the end may be nothing, too.
function pattern.command(pieces, text)
  local last = pieces[#pieces - 1]
  if #pieces > 1 and pieces[#pieces] == "" and last:find("[^ ] $") then
    local bare = table.move(pieces, 1, #pieces - 2, 1, {})
    bare[#bare + 1] = last:sub(1, -2)
    if pattern.matches(bare, text) then
      return true
    end
  end
  return pattern.matches(pieces, text)
end

--- Whether a text that begins like this could fit the pieces.
function pattern.may_begin(pieces, beginning)
  local first = pieces[1]
  if first:sub(1, #beginning) == beginning then
    return true
  end
  return #pieces > 1 and beginning:sub(1, #first) == first
end

--- Words as the text that patterns are held against: no literal piece fits what isn't known.
function pattern.exact(words, dynamic)
  local text = {}
  for i, word in ipairs(words) do
    text[i] = dynamic[i] and UNKNOWN or word == "" and EMPTY or word:gsub("[ \t\n]", INNER)
  end
  return table.concat(text, " ")
end

--- The pattern that fits exactly these words.
function pattern.written(words)
  local text = {}
  for i, word in ipairs(words) do
    text[i] = word == "" and "\\e" or word:gsub("[*\\ \t\n]", WRITTEN)
  end
  return table.concat(text, " ")
end

--- The names of an absolute path, without `.` and `..`.
local function names(path)
  local found = {}
  for name in path:gmatch("[^/]+") do
    if name == ".." then
      found[#found] = nil
    elseif name ~= "." then
      found[#found + 1] = name
    end
  end
  return found
end

local function rooted(path, cwd, home)
  if path == "~" or path:find("^~/") then
    return (home or "/\0") .. path:sub(2)
  end
  return path:find("^/") and path or cwd .. "/" .. path
end

--- Whether a path is one of a pattern's.
function pattern.path(text, path, cwd, home)
  local wanted, given = names(rooted(text, cwd, home)), names(rooted(path, cwd, home))
  local w, g, back_w, back_g = 1, 1, nil, nil
  while g <= #given do
    if wanted[w] == "**" then
      if w == #wanted then
        return true
      end
      back_w, back_g = w, g
      w = w + 1
    elseif wanted[w] and pattern.matches(pattern.plain(pattern.pieces(wanted[w])), given[g]) then
      w, g = w + 1, g + 1
    elseif back_w then
      back_g = back_g + 1
      w, g = back_w + 1, back_g
    else
      return false
    end
  end
  return w > #wanted
end

return pattern
