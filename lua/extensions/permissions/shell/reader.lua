-- Where a parser of shell lines stands: the text, the place in it, how deep it is nested, the here-documents whose bodies
-- are still to come, and what all parsers of one line share (`out`): the parts that were found, and how much may still be
-- read. Texts inside of the line (backticks, `sh -c '…'`) have readers of their own with the same `out`.
local reader = {}

reader.LONGEST = 64 * 1024
reader.DEEPEST = 50
local MOST = 2 * reader.LONGEST -- bytes of texts inside of the line, all together
local STEPS = 6000 -- words, expansions and the like; a command counts for more

local problem = {}

--- Ends the parsing: `why` is for the user.
function reader.fail(why)
  error(setmetatable({ why = why }, problem), 0)
end

--- What `fail` was told; nil for any other error.
function reader.why(failure)
  return getmetatable(failure) == problem and failure.why or nil
end

--- What the readers of one line share.
function reader.out(emit)
  return { parts = {}, left = MOST, steps = STEPS, emit = emit }
end

--- Takes so many bytes from what may still be read.
function reader.spend(out, bytes)
  out.left = out.left - bytes
  if out.left < 0 then
    reader.fail("too much is nested")
  end
end

--- Takes a step, or several.
function reader.step(out, steps)
  out.steps = out.steps - steps
  if out.steps < 0 then
    reader.fail("it is too long to be looked through")
  end
end

--- `shell` is the name of the shell that reads the text, if that is known.
function reader.new(text, out, depth, shell)
  if depth > reader.DEEPEST then
    reader.fail("nested too deep")
  end
  return { text = text, at = 1, out = out, depth = depth, shell = shell, pending = {} }
end

--- A text inside of the line.
function reader.inside(p, text)
  reader.spend(p.out, #text)
  reader.step(p.out, 1)
  return reader.new(text, p.out, p.depth + 1, p.shell)
end

--- Runs `f` one level deeper.
function reader.deeper(p, f, ...)
  p.depth = p.depth + 1
  if p.depth > reader.DEEPEST then
    reader.fail("nested too deep")
  end
  local result = f(p, ...)
  p.depth = p.depth - 1
  return result
end

--- Runs `f` on commands inside of a word, which have here-documents of their own.
function reader.apart(p, f, ...)
  local pending = p.pending
  p.pending = {}
  local result = reader.deeper(p, f, ...)
  if #p.pending > 0 then
    reader.fail("a here-document ends with what it stands in")
  end
  p.pending = pending
  return result
end

--- The character here, or so many further on; empty at the end.
function reader.char(p, ahead)
  local at = p.at + (ahead or 0)
  return p.text:sub(at, at)
end

--- Whether a plain text stands here.
function reader.sees(p, text)
  return p.text:sub(p.at, p.at + #text - 1) == text
end

--- Shells join what a line break behind a backslash has parted: `$\⏎(x)` is `$(x)`. Behind such a character it isn't
--- followed up.
function reader.unbroken(p)
  if reader.sees(p, "\\\n") and p.text:find("^[\\\n]+[$&|;<>(){}#]", p.at) then
    reader.fail("a line break inside of an operator")
  end
end

--- Skips blanks and joined lines.
function reader.blanks(p)
  while true do
    local _, last = p.text:find("^[ \t]+", p.at)
    if last then
      p.at = last + 1
    elseif p.text:byte(p.at) ~= 92 then
      return
    elseif reader.sees(p, "\\\n") then
      if p.text:find("^\\\n#", p.at) then
        reader.fail("a line break before a comment")
      end
      p.at = p.at + 2
    else
      return
    end
  end
end

return reader
