-- std.read: a page of a text file with line numbers, or a picture.
local tool = require("panto.tool")

local MAX_LINE = 2000 -- bytes of a line
local MAX_PICTURE = 5 * 1024 * 1024
local MAX_UTF16 = 16 * 1024 * 1024

local pictures = {
  { "^\x89PNG\r\n", "image/png" },
  { "^\xFF\xD8\xFF", "image/jpeg" },
  { "^GIF8[79]a", "image/gif" },
  { "^RIFF....WEBP", "image/webp" },
}

local kinds = {
  { "^%%PDF%-", "a PDF document" },
  { "^PK\3\4", "a zip archive" },
  { "^\x1F\x8B", "gzip data" },
  { "^\x7FELF", "an ELF executable" },
  { "^SQLite format 3", "an SQLite database" },
  { "^%z*[^%z]+%z", "data with NUL bytes" },
}

local function first_match(list, head)
  for _, entry in ipairs(list) do
    if head:find(entry[1]) then
      return entry[2]
    end
  end
end

local function picture(path, stat, mime, skip)
  if stat.size > MAX_PICTURE then
    local size, most = tool.size(stat.size), tool.size(MAX_PICTURE)
    return tool.failed(("%s is a picture of %s; at most %s can be looked at. Make a smaller one first."):format(path, size, most))
  end
  local data = panto.base64.encode(panto.fs.read(path, { skip = skip }))
  local text = ("%s, %s"):format(mime, tool.size(stat.size))
  return { content = { { type = "text", text = text }, { type = "image", mime = mime, data = data } }, details = { path = path } }
end

--- The same answer as panto.fs.lines, for a file in UTF-16.
local function utf16_lines(path, offset, limit, skip)
  local lines, number, more = {}, 0, false
  local text = panto.text.from_utf16(panto.fs.read(path, { skip = skip }))
  for line in (text:gsub("\n$", "") .. "\n"):gmatch("(.-)\r?\n") do
    number = number + 1
    if number >= offset and #lines < limit then
      lines[#lines + 1] = line
    elseif number >= offset then
      more = true
    end
  end
  return { lines = lines, cut = {}, more = more, total = number }
end

--- Numbered lines within `room` bytes, and how many lines that are.
local function numbered(page, offset, room)
  local out = {}
  for i, line in ipairs(page.lines) do
    if offset + i == 2 then
      line = line:gsub("^\xEF\xBB\xBF", "")
    end
    local text = ("%d\t%s"):format(offset + i - 1, panto.text.clean(line))
    if page.cut[i] then
      text = ("%s [… %s more in this line]"):format(text, tool.count(page.cut[i], "byte"))
    end
    room = room - #text - 1
    if room < 0 and i > 1 then
      return out
    end
    out[i] = text
  end
  return out
end

local function notes(page, offset, shown)
  local last, total = offset + shown - 1, page.total
  local more = page.more or shown < #page.lines
  local of = total and (" of %d"):format(total) or ""
  if more then
    return ("\n[lines %d to %d%s; go on with offset = %d]"):format(offset, last, of, last + 1)
  elseif offset > 1 then
    return ("\n[lines %d to %d%s, the end of the file]"):format(offset, last, of)
  end
  return ""
end

local function text_page(path, stat, head, input, skip)
  local bytes, most = tool.limits()
  local offset = math.max(input.offset or 1, 1)
  local limit = math.min(input.limit or most, most)
  local page
  if panto.text.from_utf16(head) and stat.size <= MAX_UTF16 then
    page = utf16_lines(path, offset, limit, skip)
  else
    page = panto.fs.lines(path, { offset = offset, limit = limit, max_bytes = bytes, max_line = MAX_LINE, skip = skip })
  end
  if #page.lines == 0 then
    if page.total == 0 then
      return tool.done("[the file is empty]", { path = path })
    end
    local has = page.total and tool.count(page.total, "line") or "fewer lines"
    return tool.failed(("offset %d is past the end: %s has %s."):format(offset, path, has))
  end
  local lines = numbered(page, offset, bytes)
  local text = table.concat(lines, "\n") .. notes(page, offset, #lines)
  if not panto.text.is_utf8(table.concat(page.lines, "\n")) then
    text = text .. "\n[not valid UTF-8: unreadable bytes are shown as \u{FFFD}; std.edit keeps them as they are]"
  end
  return tool.done(text, { path = path, lines = #lines })
end

local function handler(input, call)
  local path = panto.path.absolute(input.path)
  -- A link may have been put there since the call was allowed.
  local skip = call.bounds and call.bounds.read_deny
  local stat, problem = tool.try(panto.fs.stat, path)
  if problem then
    return tool.failed(problem)
  elseif not stat then
    return tool.missing(path, call)
  elseif stat.type == "dir" then
    return tool.failed(path .. " is a folder: list it with std.ls, or name a file in it.")
  elseif stat.type ~= "file" then
    return tool.failed(("%s is a %s, not a file."):format(path, stat.type))
  end
  local head, unreadable = tool.try(panto.fs.read, path, { limit = 8192, skip = skip })
  if not head then
    return tool.failed(unreadable)
  end
  local mime = first_match(pictures, head)
  if mime then
    return picture(path, stat, mime, skip)
  elseif panto.text.is_binary(head) then
    local kind = first_match(kinds, head) or "data"
    return tool.failed(("%s is a binary file: %s, %s. Look at it with a program for that, through std.shell."):format(path, kind, tool.size(stat.size)))
  end
  return text_page(path, stat, head, input, skip)
end

return {
  name = "std.read",
  description = "Reads a text file, or part of it. Each line comes as its number, a tab, and its text; the number and the tab are not "
    .. "part of the file. About 2000 lines or 50 KB come at once: go on with `offset`, and say where to begin when you know it. "
    .. "Pictures (png, jpeg, gif, webp) are shown to you.",
  schema = {
    type = "object",
    properties = {
      path = { type = "string", description = "The file; relative to the working directory, absolute, or from ~." },
      offset = { type = "integer", minimum = 0, description = "The line to begin with, counted from 1." },
      limit = { type = "integer", minimum = 1, description = "How many lines." },
    },
    required = { "path" },
  },
  aliases = { file_path = "path", filePath = "path", filename = "path", file = "path", start_line = "offset", max_lines = "limit" },
  words = { ask = "read {path}", doing = "Reading {path}", done = "Read {path}" },
  readonly = true,
  handler = handler,
}
