-- std.write: a whole file, byte for byte.
local tool = require("panto.tool")

local function lines(text)
  local _, ends = text:gsub("\n", "")
  return ends + ((text == "" or text:sub(-1) == "\n") and 0 or 1)
end

--- What is there now, if it is small enough to show what changes.
local function before(path, stat)
  if stat and stat.type == "file" and stat.size <= 1 << 20 then
    return tool.try(panto.fs.read, path)
  end
  return not stat and "" or nil
end

local function handler(input, call)
  local path, content = panto.path.absolute(input.path), input.content
  local stat = tool.try(panto.fs.stat, path)
  if stat and stat.type == "dir" then
    return tool.failed(path .. " is a folder; name a file in it.")
  end
  local old = before(path, stat)
  if stat and old == content then
    return tool.done(path .. " has just this content already; nothing was written.", { path = path })
  end
  local astray = tool.astray(path, call)
  if astray then
    return astray
  end
  local created, problem = tool.try(panto.fs.write, path, content)
  if problem then
    return tool.failed(problem)
  end
  local size = ("%s, %s"):format(tool.count(lines(content), "line"), tool.count(#content, "byte"))
  local details = { path = path, diff = old and tool.diff(old, content, path) }
  return tool.done(("%s %s (%s)."):format(created and "Created" or "Overwrote", path, size), details)
end

return {
  name = "std.write",
  description = "Writes a file: makes it, with the folders it needs, or replaces all that is in it. Nothing is added to `content`, "
    .. "no last line end either. To change a part of a file use std.edit.",
  schema = {
    type = "object",
    properties = {
      path = { type = "string", description = "The file; relative to the working directory, absolute, or from ~." },
      content = { type = "string", description = "All of the new content." },
    },
    required = { "path", "content" },
  },
  aliases = { file_path = "path", filePath = "path", filename = "path", file = "path", contents = "content", text = "content", file_text = "content" },
  words = { ask = "write {path}", doing = "Writing {path}", done = "Wrote {path}" },
  sequential = true,
  handler = handler,
}
