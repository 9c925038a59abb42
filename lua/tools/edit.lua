-- std.edit: replaces passages of a file. What is found, and how line ends and other bytes stay, is panto.diff.replace's
-- business; here is what is asked for, what is said when it can't be done, and that a file changes as a whole or not at all.
local tool = require("panto.tool")

--- The replacements that were asked for, or nil and what is wrong with the request.
local function wanted(input)
  local edits = {}
  if input.old_string or input.new_string then
    edits[1] = { old_string = input.old_string, new_string = input.new_string, replace_all = input.replace_all }
  end
  for _, edit in ipairs(input.edits or {}) do
    edits[#edits + 1] = edit
  end
  if #edits == 0 then
    return nil, "Nothing to do: give old_string and new_string, or edits."
  end
  for _, edit in ipairs(edits) do
    if not edit.old_string or not edit.new_string then
      return nil, ("%s is missing: each replacement needs old_string and new_string (which may be empty)."):format(
        edit.old_string and "new_string" or "old_string")
    end
  end
  return edits
end

local function not_found(why, edit)
  local text = "old_string was not found."
  if why.white_space then
    return ("%s The same text with other white space begins in line %d:\n%s"):format(text, why.line, panto.text.clean(why.text))
  elseif edit.old_string:find("^%s*%d+\t") then
    return text .. " It begins with a line number, as std.read shows them: leave numbers and tabs out."
  elseif why.line then
    return ("%s The most similar line is %d:\n%s"):format(text, why.line, panto.text.clean(why.text))
  end
  return text .. " Read the file again: it may be another one, or it has changed."
end

--- Why a replacement can't be made.
local function refusal(why, edit)
  if why.kind == "ambiguous" then
    local places = table.concat(why.lines, ", ", 1, math.min(#why.lines, 20)) .. (#why.lines > 20 and ", …" or "")
    return ("old_string is there %d times, in lines %s. Take in lines around the one you mean, or set replace_all."):format(#why.lines, places)
  elseif why.kind == "no_change" then
    return "old_string and new_string are the same: that changes nothing."
  elseif why.kind == "empty" then
    return "old_string is empty, and the file is not: say what is to be replaced, or write the whole file with std.write."
  end
  return not_found(why, edit)
end

--- All replacements, one after the other: the new text and how many; or nil and why not.
local function apply(text, edits)
  local count, lines, loosely = 0, {}, false
  for i, edit in ipairs(edits) do
    local how
    if text == "" and edit.old_string == "" then
      text, how = edit.new_string, { count = 1, lines = { 1 } }
    else
      local changed
      changed, how = panto.diff.replace(text, edit.old_string, edit.new_string, { replace_all = edit.replace_all })
      if not changed then
        local which = #edits > 1 and ("Edit %d of %d: "):format(i, #edits) or ""
        return nil, which .. refusal(how, edit) .. (#edits > 1 and "\nNothing was changed." or "")
      end
      text = changed
    end
    count, loosely = count + how.count, loosely or how.loosely
    table.move(how.lines, 1, #how.lines, #lines + 1, lines)
  end
  return text, { count = count, lines = lines, loosely = loosely }
end

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
  local edits, unclear = wanted(input)
  if not edits then
    return tool.failed(unclear)
  end
  local path = panto.path.absolute(input.path)
  local old, refused = load(path, edits, call)
  if not old then
    return refused
  end
  local new, how = apply(old, edits)
  if not new then
    return tool.failed(("%s: %s"):format(path, how))
  elseif new == old then
    return tool.failed(path .. ": the replacements cancel each other out: nothing was changed.")
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
