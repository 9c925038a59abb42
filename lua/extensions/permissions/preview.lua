-- What an edit would change, for the user who is asked about it; nothing is written.
local replacements = require("panto.replacements")
local tool = require("panto.tool")

local MOST = 1 << 20 -- bytes of a file that is shown

local function now(path)
  local stat = tool.try(panto.fs.stat, path)
  if not stat then
    return ""
  elseif stat.type ~= "file" or stat.size > MOST then
    return nil
  end
  return (tool.try(panto.fs.read, path))
end

--- The text that the file would have; nil where the edit can't be made, which its own result will say.
local function after(name, input, old)
  if name == "std.write" then
    return input.content
  end
  local edits = replacements.wanted(input)
  return edits and (replacements.apply(old, edits))
end

--- The unified diff; nil where there is none to show.
return function(name, input, path)
  local old = now(path)
  local new = old and after(name, input, old)
  return new and tool.diff(old, new, path) or nil
end
