-- std.edit: replaces passages of a file. What is found, and how line ends and other bytes stay, is panto.diff.replace's
-- business; here is what is asked for, what is said when it can't be done, and that a file changes as a whole or not at all.
local replacements = require("panto.replacements")
local tool = require("panto.tool")

local function summary(path, how)
  local place = #how.lines == 1 and (" in line %d"):format(how.lines[1]) or ""
  local text = ("Edited %s: %s%s."):format(path, tool.count(how.count, "replacement"), place)
  if how.loosely then
    text = text .. " It was found by looking past white space at line ends or typographic characters."
  end
  return text
end

--- The text of the file; nil and a result where there is none to edit. A file that isn't there may be made.
local function load(path, edits, call)
  local stat, problem = tool.try(panto.fs.stat, path)
  if problem then
    return nil, tool.failed(problem)
  elseif not stat and edits[1].old_string == "" then
    return ""
  elseif not stat then
    return nil, tool.missing(path, call)
  elseif stat.type ~= "file" then
    return nil, tool.failed(("%s is a %s, not a file."):format(path, stat.type == "dir" and "folder" or stat.type))
  end
  local text, unreadable = tool.try(panto.fs.read, path)
  if not text then
    return nil, tool.failed(unreadable)
  elseif panto.text.from_utf16(text:sub(1, 4)) then
    return nil, tool.failed(path .. " is UTF-16, which std.edit can't change: convert it with iconv through std.shell, or write it anew.")
  end
  return text
end

local function handler(input, call)
  local edits, unclear = replacements.wanted(input)
  if not edits then
    return tool.failed(unclear)
  end
  local path = panto.path.absolute(input.path)
  local old, refused = load(path, edits, call)
  if not old then
    return refused
  end
  local new, how = replacements.apply(old, edits)
  if not new then
    return tool.failed(("%s: %s"):format(path, how))
  elseif new == old then
    return tool.failed(path .. ": the replacements cancel each other out: nothing was changed.")
  end
  local astray = tool.astray(path, call)
  if astray then
    return astray
  end
  local _, problem = tool.try(panto.fs.write, path, new)
  if problem then
    return tool.failed(problem)
  end
  return tool.done(summary(path, how), { path = path, diff = tool.diff(old, new, path), lines = how.lines })
end

local passage = { type = "string", description = "The passage to replace, exactly as it is in the file, with its indentation; without line numbers." }
local replacement = { type = "string", description = "What takes its place." }
local everywhere = { type = "boolean", description = "Replace every occurrence. Without it the passage must be there just once." }

return {
  name = "std.edit",
  description = "Replaces a passage of a file, or several at once with `edits`: they are made in order, and all of them or none. A passage "
    .. "must be there exactly once (take in enough lines around it), unless `replace_all` is set. Line ends, encoding and mode of the "
    .. "file stay as they are.",
  schema = {
    type = "object",
    properties = {
      path = { type = "string", description = "The file; relative to the working directory, absolute, or from ~." },
      old_string = passage,
      new_string = replacement,
      replace_all = everywhere,
      edits = {
        type = "array",
        description = "Several replacements, instead of old_string and new_string.",
        items = {
          type = "object",
          properties = { old_string = passage, new_string = replacement, replace_all = everywhere },
          required = { "old_string", "new_string" },
        },
      },
    },
    required = { "path" },
  },
  aliases = {
    file_path = "path", filePath = "path", filename = "path", file = "path",
    oldString = "old_string", old_str = "old_string", oldText = "old_string", old_text = "old_string", old = "old_string",
    newString = "new_string", new_str = "new_string", newText = "new_string", new_text = "new_string", new = "new_string",
    replaceAll = "replace_all",
  },
  words = { ask = "edit {path}", doing = "Editing {path}", done = "Edited {path}" },
  sequential = true,
  handler = handler,
}
