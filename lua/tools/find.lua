-- std.find: files by name.
local tool = require("panto.tool")

local USUAL = 500 -- paths

--- The folder that an absolute pattern begins with, and the pattern below it.
local function split(pattern)
  local folder, rest = pattern:match("^(/[^%*%?%[{]*)/([^/]*[%*%?%[{].*)$")
  if folder then
    return folder, rest
  end
  return panto.path.dirname(pattern), panto.path.basename(pattern)
end

local function search(root, pattern, max, skip)
  local found, more = tool.try(panto.fs.walk, root, { glob = pattern, max = max, dirs = true, skip = skip })
  if found and #found == 0 and not pattern:find("[%*%?%[{/]") then
    -- A bare word is looked for inside of names.
    return tool.try(panto.fs.walk, root, { glob = "*" .. pattern .. "*", max = max, dirs = true, skip = skip })
  end
  return found, more
end

local function handler(input, call)
  local root, pattern = input.path, input.pattern
  if pattern:sub(1, 1) == "/" and not root then
    root, pattern = split(pattern)
  end
  root = panto.path.absolute(root or ".")
  if not tool.try(panto.fs.stat, root) then
    return tool.missing(root, call)
  end
  local found, more = search(root, pattern, input.max or USUAL, call.bounds and call.bounds.read_deny)
  if not found then
    return tool.failed(more)
  elseif #found == 0 then
    return tool.done(("Nothing matches %s (what ignore files name is left out)."):format(input.pattern))
  end
  local bytes, lines = tool.limits()
  local out = {}
  for i, entry in ipairs(found) do
    local path = panto.text.clean(panto.path.relative(panto.path.join(root, entry.path))) .. (entry.type == "dir" and "/" or "")
    bytes = bytes - #path - 1
    if bytes < 256 or i > lines then
      more = true
      break
    end
    out[i] = path
  end
  local text = table.concat(out, "\n")
  if more then
    text = ("%s\n[the first %d; there are more: narrow the pattern]"):format(text, #out)
  end
  return tool.done(text, { files = #out })
end

return {
  name = "std.find",
  description = "Finds files and folders by name. A pattern without a slash is matched against names at any depth (`*.rs`), one with a "
    .. "slash against the path below the folder (`src/**/test_*.py`). What ignore files name is left out, and so is .git.",
  schema = {
    type = "object",
    properties = {
      pattern = { type = "string", minLength = 1, description = "The pattern: `*`, `?`, `[…]`, `{a,b}`, `**`." },
      path = { type = "string", description = "The folder to look in; without it the working directory." },
      max = { type = "integer", minimum = 1, description = "Paths at most; 500 without it." },
    },
    required = { "pattern" },
  },
  aliases = { glob = "pattern", query = "pattern", name = "pattern", directory = "path", dir = "path", limit = "max", max_results = "max" },
  words = { ask = "find {pattern}", doing = "Finding {pattern}", done = "Found {pattern}" },
  readonly = true,
  handler = handler,
}
