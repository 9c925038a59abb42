-- What the shipped tools share: results, limits, and words for paths, sizes and things that aren't there.
local tool = {}

--- A result that says what went wrong.
function tool.failed(text)
  return { content = { { type = "text", text = text } }, is_error = true }
end

--- A result with something for the screen beside the text for the model.
function tool.done(text, details)
  return { content = { { type = "text", text = text } }, details = details }
end

--- A value as the model reads it: text as it is, the rest as JSON.
function tool.shown(value)
  if type(value) == "string" then
    return value
  end
  local ok, json = pcall(panto.json.encode, value)
  return ok and json or ("(%s: %s)"):format(tostring(value), json)
end

--- The names of a table's fields, sorted.
function tool.names(table_)
  local names = {}
  for name in pairs(table_) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- ` (is it "near"?)` where one of the names looks like it; else nothing.
function tool.hint(name, names)
  local near = panto.text.nearest(name, names, 1)[1]
  return near and (" (is it %q?)"):format(near) or ""
end

--- Calls a host function; its values, or nil and the reason.
function tool.try(f, ...)
  local ok, value, more = pcall(f, ...)
  if ok then
    return value, more
  end
  return nil, tostring(value)
end

--- What a result may have, with room for a note of the tool's own: bytes, lines.
function tool.limits()
  local bytes = panto.ext.config("tools.max_output_bytes", 51200)
  local lines = panto.ext.config("tools.max_output_lines", 2000)
  return math.max(bytes - 1024, bytes // 2), math.max(lines - 8, lines // 2)
end

--- `1 line`, `2 lines`.
function tool.count(n, word, plural)
  return ("%d %s"):format(n, n == 1 and word or plural or word .. "s")
end

--- `812 bytes`, `12.3 KB`, `4.0 MB`.
function tool.size(bytes)
  if bytes < 1000 then
    return tool.count(bytes, "byte")
  end
  for _, unit in ipairs { "KB", "MB", "GB" } do
    bytes = bytes / 1000
    if bytes < 1000 or unit == "GB" then
      return ("%.1f %s"):format(bytes, unit)
    end
  end
end

--- Says that a path is not there, and what might have been meant.
function tool.missing(path, call)
  if not panto.fs.stat(call.cwd) then
    return tool.failed(("%s does not exist, and the working directory %s is gone, too."):format(path, call.cwd))
  end
  local text = path .. " does not exist."
  local folder, name = panto.path.dirname(path), panto.path.basename(path)
  while folder ~= "/" and not panto.fs.stat(folder) do
    folder, name = panto.path.dirname(folder), panto.path.basename(folder)
  end
  local names = {}
  for _, entry in ipairs(tool.try(panto.fs.list, folder) or {}) do
    names[#names + 1] = entry.name
  end
  local near = panto.text.nearest(name, names, 3)
  for i, candidate in ipairs(near) do
    near[i] = panto.path.relative(panto.path.join(folder, candidate))
  end
  if #near > 0 then
    return tool.failed(text .. " Is it " .. table.concat(near, ", or ") .. "?")
  end
  local shown = panto.path.relative(folder)
  return tool.failed(("%s There is nothing like it in %s."):format(text, shown == "." and "the working directory" or shown))
end

--- A result where a path leads elsewhere by now than when the call was allowed; nil where all is well.
function tool.astray(path, call)
  local allowed = call.bounds and call.bounds.path
  if allowed and tool.try(panto.fs.realpath, path, { missing = true }) ~= allowed then
    return tool.failed(path .. " leads elsewhere by now than when the call was allowed; nothing was written.")
  end
end

--- The unified diff of two texts for the screen; nil when they are too big for it or no text.
function tool.diff(old, new, path)
  local most = 1 << 20
  if #old > most or #new > most or panto.text.is_binary(old) or panto.text.is_binary(new) then
    return nil
  end
  return panto.diff.unified(old, new, { path = panto.path.relative(path) })
end

return tool
