-- What may stand in a profile's head, and what each field has to be.
local rules = require("panto.extensions.permissions.rules")

local fields = {}

local LEVELS = { off = true, minimal = true, low = true, medium = true, high = true, xhigh = true, max = true }

local function text(value)
  if type(value) ~= "string" or not value:match("%S") then
    return nil, "has to be a text"
  end
  return value
end

--- A list of names, also as one text with commas.
local function list(value)
  if type(value) == "string" then
    local names = panto.json.array {}
    -- Commas inside of brackets belong to a pattern.
    for name in (value:gsub("%b()", function(inside) return (inside:gsub(",", "\0")) end) .. ","):gmatch("%s*(.-)%s*,") do
      if name ~= "" then
        names[#names + 1] = (name:gsub("%z", ","))
      end
    end
    return names
  elseif type(value) ~= "table" or (#value == 0 and next(value) ~= nil) then
    return nil, "has to be a list of names"
  end
  for _, name in ipairs(value) do
    if type(name) ~= "string" then
      return nil, "has to be a list of names"
    end
  end
  return value
end

local function rule_list(value)
  local texts, why = list(value)
  for i, one in ipairs(texts or {}) do
    local rule, fault = rules.read(one)
    if not rule then
      return nil, ("holds `%s`, which is no rule: %s"):format(one, fault)
    end
    texts[i] = one
  end
  return texts, why
end

local function number(least, whole)
  return function(value)
    local given = tonumber(value)
    if not given or given < least or (whole and not math.tointeger(given)) then
      return nil, ("has to be a %snumber from %s"):format(whole and "whole " or "", least)
    end
    return whole and math.tointeger(given) or given
  end
end

local function flag(value)
  if value == "true" or value == "false" then
    value = value == "true"
  end
  if type(value) ~= "boolean" then
    return nil, "has to be true or false"
  end
  return value
end

local function level(value)
  -- YAML 1.1 readers take `off` for false; whoever writes it means the level.
  value = value == false and "off" or value
  if not LEVELS[value] then
    return nil, "has to be one of off, minimal, low, medium, high, xhigh, max"
  end
  return value
end

local function schema(value)
  if type(value) ~= "table" then
    return nil, "has to be a JSON schema"
  end
  local ok, why = pcall(panto.schema.check, value, panto.null)
  if not ok then
    return nil, "is no JSON schema: " .. tostring(why):gsub("^schema: ", "")
  end
  return value
end

fields.readers = {
  name = text, description = text, model = text, thinking = level, tools = list, disallowed_tools = list,
  allow = rule_list, deny = rule_list, max_turns = number(1, true), max_tokens = number(1, true), max_cost = number(0),
  timeout = number(1), background = flag, output_schema = schema,
}

fields.names = {}
for name in pairs(fields.readers) do
  fields.names[#fields.names + 1] = name
end
table.sort(fields.names)

-- What holds an agent whatever becomes of its file.
local KEPT = { "disallowed_tools", "allow", "deny", "max_turns", "max_tokens", "max_cost", "timeout", "background", "output_schema" }

--- What is to be remembered of a profile.
function fields.keep(profile)
  local kept = {}
  for _, name in ipairs(KEPT) do
    kept[name] = profile[name]
  end
  return kept
end

--- The same, read again; nil and what is wrong with it.
function fields.restore(kept)
  local own = {}
  for _, name in ipairs(KEPT) do
    if kept[name] ~= nil then
      local value, why = fields.readers[name](kept[name])
      if value == nil then
        return nil, ("`%s` %s"):format(name, why)
      end
      own[name] = value
    end
  end
  return own
end

--- A name that can be written as `@name` and asked for.
function fields.is_name(name)
  return #name <= 64 and name:match("^[%w][%w_.:-]*$") ~= nil
end

return fields
