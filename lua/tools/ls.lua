-- std.ls: what a folder holds, as a tree.
local tool = require("panto.tool")

local MOST = 1000 -- entries

local function line(entry)
  local name = panto.text.clean(panto.path.basename(entry.path))
  local indent = ("  "):rep(entry.depth - 1)
  if entry.type == "dir" then
    return indent .. name .. "/"
  elseif entry.symlink then
    return indent .. name .. "@"
  end
  return ("%s%s  %s"):format(indent, name, tool.size(entry.size or 0))
end

local function handler(input, call)
  local root = panto.path.absolute(input.path or ".")
  local stat, problem = tool.try(panto.fs.stat, root)
  if not stat then
    return problem and tool.failed(problem) or tool.missing(root, call)
  elseif stat.type ~= "dir" then
    return tool.done(("%s is a %s of %s."):format(root, stat.type, tool.size(stat.size)))
  end
  local depth = math.max(input.depth or 1, 1)
  local how = { dirs = true, depth = depth, max = MOST, ignored = input.all, sizes = true, skip = call.bounds and call.bounds.read_deny }
  local found, more = tool.try(panto.fs.walk, root, how)
  if not found then
    return tool.failed(more)
  elseif #found == 0 then
    return tool.done(input.all and "[the folder is empty]" or "[the folder is empty, but for what ignore files name]")
  end
  local bytes, lines = tool.limits()
  local out = {}
  for i, entry in ipairs(found) do
    out[i] = line(entry)
    bytes = bytes - #out[i] - 1
    if bytes < 256 or i >= lines then
      more = i < #found or more
      break
    end
  end
  local text = table.concat(out, "\n")
  if more then
    text = ("%s\n[the first %d entries; there are more: name a folder further in, or a smaller depth]"):format(text, #out)
  end
  return tool.done(text, { path = root, entries = #out })
end

return {
  name = "std.ls",
  description = "Lists a folder: folders end in a slash, links in an @, files have their size. What ignore files name and .git are left "
    .. "out, unless `all` is set.",
  schema = {
    type = "object",
    properties = {
      path = { type = "string", description = "The folder; without it the working directory." },
      depth = { type = "integer", minimum = 1, description = "Levels to go down; 1 without it." },
      all = { type = "boolean", description = "Ignored entries and .git, too." },
    },
  },
  aliases = { directory = "path", dir = "path", file_path = "path", recursive_depth = "depth", show_hidden = "all" },
  words = { ask = "list {path}", doing = "Listing {path}", done = "Listed {path}" },
  readonly = true,
  handler = handler,
}
