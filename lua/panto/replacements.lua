-- Passages of a text that are replaced by others: what is asked for, what is said when it can't be done, and that a text
-- changes as a whole or not at all. std.edit does it; who asks for an approval shows beforehand what it would do.
local tool = require("panto.tool")

local replacements = {}

--- The replacements that were asked for, or nil and what is wrong with the request.
function replacements.wanted(input)
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
function replacements.apply(text, edits)
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

return replacements
