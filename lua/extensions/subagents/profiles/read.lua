-- One profile from its text.
local claude = require("panto.extensions.subagents.profiles.claude")
local fields = require("panto.extensions.subagents.profiles.fields")
local front = require("panto.extensions.subagents.profiles.front")
local rules = require("panto.extensions.permissions.rules")

--- Tools by the names they have here, and what limits them. `foreign` names that mean nothing are told and left out.
local function tools(names, foreign, warn)
  local own, limits, unknown = panto.json.array {}, panto.json.array {}, {}
  for _, name in ipairs(names) do
    local tool, limit = claude.tool(name)
    if tool then
      own[#own + 1], limits[#limits + 1] = tool, limit
    elseif foreign and not name:find("[.*]") then
      unknown[#unknown + 1] = not claude.is_idle(name) and name or nil
    else
      own[#own + 1] = name
    end
  end
  if #unknown > 0 then
    warn(("there is no tool %s here; the agent works without"):format(table.concat(unknown, ", ")))
  end
  return own, limits
end

--- Tools that are taken away as a whole, and rules for those of which a part is. `foreign` names that mean nothing may be
-- misspelt, and are told.
local function disallowed(names, foreign, warn)
  local own, denied, unknown = panto.json.array {}, panto.json.array {}, {}
  for _, name in ipairs(names) do
    local tool, limit = claude.tool(name)
    if limit then
      denied[#denied + 1] = limit
    elseif tool or not foreign then
      own[#own + 1] = tool or name
    elseif name:find("[.*]") then
      own[#own + 1] = name
    elseif not claude.is_known(name) then
      unknown[#unknown + 1] = name
    end
  end
  if #unknown > 0 then
    warn(("there is no tool %s that could be taken away"):format(table.concat(unknown, ", ")))
  end
  return own, denied
end

--- Both lists of tools of a profile in the words used here, what limits them as rules of `allow` and `deny`; nil, what is
--- wrong with one, and the field.
local function with_tools(profile, foreign, warn)
  local allow, deny
  if profile.tools then
    profile.tools, allow = tools(profile.tools, foreign, warn)
  end
  if profile.disallowed_tools then
    profile.disallowed_tools, deny = disallowed(profile.disallowed_tools, foreign, warn)
  end
  for field, limits in pairs { allow = allow or {}, deny = deny or {} } do
    for _, limit in ipairs(limits) do
      local rule, fault = rules.read(limit)
      if not rule then
        return nil, ("`%s` is no rule: %s"):format(limit, fault), field == "allow" and "tools" or "disallowed_tools"
      end
      profile[field] = profile[field] or panto.json.array {}
      table.insert(profile[field], limit)
    end
  end
  return profile
end

local function checked(head, given, known_only, warn)
  local own = {}
  for key, value in pairs(given) do
    local reader = fields.readers[key]
    if reader then
      local read, why = reader(value)
      if read == nil then
        warn(("`%s` %s"):format(key, why), front.line_of(head, key))
        return nil
      end
      own[key] = read
    elseif known_only then
      local near = panto.text.nearest(tostring(key), fields.names, 1)[1]
      warn(("there is no field `%s`%s"):format(key, near and ("; is it `%s`?"):format(near) or ""), front.line_of(head, tostring(key)))
      return nil
    end
  end
  return own
end

--- The profile that a text holds; nil where it cannot be used. `source` = { file, stem, foreign }; `warn(what, line?)` is
--- called for each thing that is wrong.
return function(text, source, warn)
  if not panto.text.is_utf8(text) then
    warn("is no UTF-8 text")
    return nil
  end
  local head, body = front.split(text)
  if not head then
    -- Notes lie in such folders, too.
    warn("has no head (YAML between two lines of `---`), so it is no agent")
    return nil
  end
  local given, problem, line = (source.foreign and front.read_loosely or front.read)(head)
  if not given then
    warn(problem, line)
    return nil
  end
  if source.foreign then
    given = claude.translate(given, fields.readers)
  end
  local profile = checked(head, given, not source.foreign, warn)
  if not profile then
    return nil
  end
  profile.name = profile.name or source.stem
  if not fields.is_name(profile.name) then
    warn(("`%s` is no name for an agent: letters, digits, `-`, `_`, `.` and `:`, at most 64"):format(profile.name), front.line_of(head, "name"))
    return nil
  end
  local fine, fault, field = with_tools(profile, source.foreign, warn)
  if not fine then
    warn(fault, front.line_of(head, field))
    return nil
  end
  profile.description = (profile.description or ""):gsub("\\n", "\n"):match("^%s*(.-)%s*$")
  profile.prompt = body:match("^%s*(.-)%s*$")
  profile.file, profile.layer = source.file, source.layer
  return profile
end
