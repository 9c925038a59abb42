-- A workflow from its TOML: steps, and what each one needs. What cannot work is refused here, before anything runs.
local fields = require("panto.extensions.subagents.profiles.fields")
local tool = require("panto.tool")

local STEP = { name = "string", prompt = "string", agent = "string", model = "string", thinking = "string", output_schema = "table", needs = "table", on_failure = "string" }
local TOP = { description = "string", step = "table", steps = "table" }
local MOST = 200 -- steps

local function unknown(given, known, where)
  for key, value in pairs(given) do
    if not known[key] then
      local near = panto.text.nearest(tostring(key), tool.names(known), 1)[1]
      return ("%s: there is no field `%s`%s"):format(where, key, near and ("; is it `%s`?"):format(near) or "")
    elseif type(value) ~= known[key] then
      return ("%s: `%s` has to be a %s"):format(where, key, known[key])
    end
  end
end

local function fault_of_step(step, number)
  if type(step) ~= "table" then
    return ("step %d: has to be a table: [[step]]"):format(number)
  end
  local where = type(step.name) == "string" and ("step `%s`"):format(step.name) or ("step %d"):format(number)
  local problem = unknown(step, STEP, where)
  if problem then
    return problem
  elseif not step.name or not step.name:match("^[%w_-]+$") then
    return where .. ": `name` has to be letters, digits, `-` and `_`"
  elseif not step.prompt or not step.prompt:match("%S") then
    return where .. ": `prompt` is missing"
  elseif step.on_failure and step.on_failure ~= "skip" and step.on_failure ~= "continue" then
    return where .. ': `on_failure` has to be "skip" or "continue"'
  end
  local schema = step.output_schema and { fields.readers.output_schema(step.output_schema) }
  if schema and not schema[1] then
    return where .. ": `output_schema` " .. schema[2]
  end
end

--- What a step needs: what it says, and the steps whose output its prompt takes. Each once.
local function needs_of(step)
  local needs, seen = {}, {}
  local function add(name)
    if not seen[name] then
      seen[name] = true
      needs[#needs + 1] = name
    end
  end
  for _, name in ipairs(step.needs or {}) do
    add(name)
  end
  for name in step.prompt:gmatch("{{%s*steps%.([%w_-]+)%.output%s*}}") do
    add(name)
  end
  return needs
end

--- The steps in an order in which each comes after what it needs; nil and a circle where there is none.
local function ordered(steps, by_name)
  local order, state, path = {}, {}, {}
  local function visit(step)
    if state[step.name] == "done" then
      return nil
    end
    path[#path + 1] = step.name
    if state[step.name] == "open" then
      local first = 1
      while path[first] ~= step.name do
        first = first + 1
      end
      return table.concat(path, " → ", first)
    end
    state[step.name] = "open"
    for _, name in ipairs(step.needs) do
      local circle = visit(by_name[name])
      if circle then
        return circle
      end
    end
    state[step.name], path[#path] = "done", nil
    order[#order + 1] = step
  end
  for _, step in ipairs(steps) do
    local circle = visit(step)
    if circle then
      return nil, circle
    end
  end
  return order
end

--- Each step with its needs; nil and what is wrong.
local function linked(steps)
  local by_name, linked = {}, {}
  for i, step in ipairs(steps) do
    local problem = fault_of_step(step, i)
    if problem then
      return nil, problem
    elseif by_name[step.name] then
      return nil, ("two steps are called `%s`"):format(step.name)
    end
    local own = {}
    for key, value in pairs(step) do
      own[key] = value
    end
    own.needs = needs_of(step)
    by_name[step.name], linked[i] = own, own
  end
  for _, step in ipairs(linked) do
    for _, name in ipairs(step.needs) do
      if not by_name[name] then
        local near = panto.text.nearest(tostring(name), tool.names(by_name), 1)[1]
        return nil, ("step `%s` needs `%s`, and there is no such step%s"):format(step.name, tostring(name), near and ("; is it `%s`?"):format(near) or "")
      end
    end
  end
  return linked, by_name
end

--- `{ description, steps, order }`; nil and what is wrong.
return function(text)
  local ok, given = pcall(panto.toml.decode, text)
  if not ok then
    local place, why = tostring(given):match("at (line %d+)[^\n]*\n.*\n([^\n]+)\n*$")
    return nil, place and ("%s: %s"):format(place, why) or tostring(given)
  end
  local problem = unknown(given, TOP, "the workflow")
  local steps = given.step or given.steps
  if problem then
    return nil, problem
  elseif not steps or #steps == 0 then
    return nil, "there are no steps: each begins with [[step]]"
  elseif #steps > MOST then
    return nil, ("there are more than %d steps"):format(MOST)
  end
  local all, by_name = linked(steps)
  if not all then
    return nil, by_name
  end
  local order, circle = ordered(all, by_name)
  if not order then
    return nil, "its steps need each other in a circle: " .. circle
  end
  return { description = given.description or "", steps = all, order = order }
end
