-- The head of a profile: YAML between two lines of dashes, then the text. Values are checked by their fields, and what is
-- wrong is told with its line. A profile with a mistake is left out whole: without its `tools` or `deny` it could do more
-- than whoever wrote it meant.
local front = {}

--- The head and the body of a text, and how many lines stand before the head's first; nil where it has no head.
function front.split(text)
  text = text:gsub("^\u{FEFF}", ""):gsub("\r\n?", "\n")
  local head, body = text:match("^%-%-%-[ \t]*\n(.-)\n%-%-%-[ \t]*\n?(.*)$")
  if not head then
    body = text:match("^%-%-%-[ \t]*\n%-%-%-[ \t]*\n?(.*)$")
    head = body and ""
  end
  return head, body
end

--- The line of the file that a key of the head stands in.
function front.line_of(head, key)
  local number = 1
  for line in (head .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    if line:match("^(['\"]?)" .. key:gsub("%p", "%%%0") .. "%1%s*:") then
      return number
    end
  end
  return 1
end

--- Where an anchor or an alias stands: a name behind `&` or `*` at the beginning of a value.
local function reference(head)
  local number, block = 1, nil
  for line in (head .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    local indent = #line:match("^ *")
    if block and (line:match("^%s*$") or indent > block) then
      goto continue
    end
    block = line:match(":%s*[|>][%d+-]*%s*$") and indent or nil
    local value = line:match("^%s*[%w_%-\"']+%s*:%s+(.*)$") or line:match("^%s*%-%s+(.*)$") or ""
    local mark = value:match("^([&*])[%w_%-]+%s*$") or value:match("^([&*])[%w_%-]+%s") or value:match("^[%[{].-[%[{,:]%s*([&*])[%w_%-]+%s*[,%]}]")
    if mark or line:match("^%s*<<%s*:") then
      return number
    end
    ::continue::
  end
end

-- Fields whose absence lets an agent do more than their being there.
local LIMITS = { "tools", "disallowed_tools", "disallowedTools", "allow", "deny" }

--- The fields without those that say nothing; nil, what is wrong and the line where one of those is a limit.
local function filled(head, fields, is_empty)
  for _, key in ipairs(LIMITS) do
    if fields[key] ~= nil and is_empty(fields[key]) then
      return nil, ("`%s` says nothing: write `[]` for none, or leave the line out"):format(key), front.line_of(head, key)
    end
  end
  for key, value in pairs(fields) do
    if is_empty(value) then
      fields[key] = nil
    end
  end
  return fields
end

--- The fields of a head; nil, what is wrong and the line.
function front.read(head)
  local line = reference(head)
  if line then
    return nil, "anchors and aliases (`&name`, `*name`) are not read here: write the value out", line
  end
  local ok, fields = pcall(panto.yaml.decode, head)
  if not ok then
    local why, at = tostring(fields):match("^yaml: (.*) at line (%d+)")
    return nil, why or tostring(fields), at and at + 1 or 1
  elseif fields == panto.null then
    return {}
  elseif type(fields) ~= "table" or #fields > 0 then
    return nil, "the head holds no fields (`name: value`)", 2
  end
  return filled(head, fields, function(value) return value == panto.null end)
end

--- The same, taken line by line where it is no YAML: descriptions with a colon in them are common, and meant as they stand.
function front.read_loosely(head)
  local fields, problem, line = front.read(head)
  if fields or problem:find("anchors", 1, true) or problem:find("says nothing", 1, true) then
    return fields, problem, line
  end
  local loose, last = {}, nil
  for text in (head .. "\n"):gmatch("(.-)\n") do
    local key, value = text:match("^([%a][%w_-]*):%s*(.-)%s*$")
    if key then
      loose[key], last = value:match('^"(.*)"$') or value:match("^'(.*)'$") or value, key
    elseif last and text:match("%S") then
      loose[last] = loose[last] .. "\n" .. text:match("^%s*(.-)%s*$")
    end
  end
  if not next(loose) then
    return nil, problem, line
  end
  return filled(head, loose, function(value) return value == "" end)
end

return front
