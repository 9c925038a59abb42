-- The tools of a child: those of whoever starts it, without the subagents' own, as far as its profile and the call let it
-- have them.
local claude = require("panto.extensions.subagents.profiles.claude")
local rules = require("panto.extensions.permissions.rules")

local tools = {}

local function is_own(name)
  return name:find("^subagents%.") ~= nil
end

--- Whether a name is meant by one of a list, in which `*` stands for anything.
function tools.is_in(names, name)
  for _, wanted in ipairs(names) do
    local pattern = "^" .. wanted:gsub("[%^%$%(%)%%%.%[%]%+%-%?]", "%%%0"):gsub("%*", ".*") .. "$"
    if name:match(pattern) then
      return true
    end
  end
  return false
end

local function lists(names, name)
  for _, one in ipairs(names or {}) do
    if one == name then
      return true
    end
  end
  return false
end

local function names_of(declarations)
  local names = {}
  for i, declaration in ipairs(declarations) do
    names[i] = declaration.name
  end
  return names
end

--- The known name most like one. What stands behind a dot is no ending of a file here.
local function nearest(name, known)
  local plain, of = {}, {}
  for i, one in ipairs(known) do
    plain[i] = one:gsub("%.", "_")
    of[plain[i]] = one
  end
  return of[panto.text.nearest((name:gsub("%.", "_")), plain, 1)[1] or ""]
end

--- What a call gives, `{ tools, allow? }`: names in the words used here, and rules where one is limited (`Bash(git log:*)`);
--- nil and what is wrong with it.
function tools.given(names)
  local own, limits = panto.json.array {}, panto.json.array {}
  for i, name in ipairs(names) do
    local tool, limit = claude.tool(name)
    own[i] = tool or name
    local _, fault = rules.read(limit or "*")
    if fault then
      return nil, ("the tool %q can't be given: %s"):format(name, fault)
    end
    limits[#limits + 1] = limit
  end
  return { tools = own, allow = #limits > 0 and limits or nil }
end

--- What is wrong when one of the names means nothing.
local function unknown(names, offered)
  for _, name in ipairs(names) do
    local found = false
    for _, declaration in ipairs(offered) do
      found = found or tools.is_in({ name }, declaration.name)
    end
    if not found then
      local known = names_of(offered)
      local near = nearest(name, known)
      return ("there is no tool %q to give%s; there are %s"):format(name, near and (" (is it %q?)"):format(near) or "", table.concat(known, ", "))
    end
  end
end

--- What is wrong with a name in a profile's lists that means nothing: a slip there would give a child more than it should
-- have, or take what it needs. Of servers and extensions that are not here nobody knows the tools.
local function misnamed(profile, declared)
  local known, sources = claude.own_names(), {}
  for _, declaration in ipairs(declared) do
    known[declaration.name] = true
  end
  local all = {}
  for name in pairs(known) do
    all[#all + 1], sources[name:match("^[^.]*%.") or ""] = name, true
  end
  table.sort(all)
  for _, field in ipairs { "tools", "disallowed_tools" } do
    for _, name in ipairs(profile[field] or {}) do
      local source = name:match("^[^.]*%.")
      if not name:find("*", 1, true) and not known[name] and not is_own(name) and (not source or sources[source]) then
        local near = known["std." .. name] and "std." .. name or nearest(name, all)
        return ("`%s` of the agent %q names %s, and there is no such tool%s: correct %s"):format(field, profile.name or "?", name, near and (" (is it %s?)"):format(near) or "", profile.file or "its profile")
      end
    end
  end
end

--- Declarations for a child. `offered` are the names that the caller has itself; `names` those that the call asks for. A
--- profile that names a tool of the subagents' own has it; a call can't give one.
function tools.select(offered, profile, names)
  local mine, declared = {}, panto.ext.agent:tools()
  local slip = misnamed(profile, declared)
  if slip then
    return nil, slip
  end
  for _, declaration in ipairs(declared) do
    local name = declaration.name
    local allowed = offered[name] and not tools.is_in(profile.disallowed_tools or {}, name)
    if profile.tools then
      allowed = allowed and tools.is_in(profile.tools, name)
    end
    -- Who wants agents that start agents says so by name; `*` doesn't mean these.
    if is_own(name) and not lists(profile.tools, name) then
      allowed = false
    end
    if allowed then
      mine[#mine + 1] = declaration
    end
  end
  local problem = names and unknown(names, mine)
  if not names or problem then
    return not problem and mine or nil, problem
  end
  local some = {}
  for _, declaration in ipairs(mine) do
    if tools.is_in(names, declaration.name) then
      some[#some + 1] = declaration
    end
  end
  return some
end

--- What the caller may use itself, as a set: the tools of its call, or of the session where a person has asked.
function tools.of_caller(call)
  local offered = {}
  if call then
    for _, tool in ipairs(call:tools()) do
      offered[tool.name] = true
    end
  else
    for _, name in ipairs(panto.ext.session.active_tools()) do
      offered[name] = true
    end
  end
  return offered
end

return tools
