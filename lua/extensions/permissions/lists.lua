-- The rules that hold: those of config.toml, and what the user has agreed to in a dialog.
local pattern = require("panto.extensions.permissions.rules.pattern")
local places = require("panto.extensions.permissions.places")
local rules = require("panto.extensions.permissions.rules")

local lists = {}

local function read(texts)
  local list = {}
  for _, text in ipairs(texts) do
    -- What config.toml says was checked when it was read; of older answers what is no rule any more allows nothing.
    local rule = rules.read(text)
    if rule then
      list[#list + 1] = rule
    end
  end
  return list
end

local of_config
local last -- { granted, lists }: answers are few, and calls are many

--- `{ allow, ask, deny }` with these answers of the user.
function lists.with(granted)
  local key = table.concat(granted, "\0")
  if last and last.granted == key then
    return last.lists
  end
  of_config = of_config or {
    allow = read(panto.ext.config("permissions.allow", {})),
    ask = read(panto.ext.config("permissions.ask", {})),
    deny = read(panto.ext.config("permissions.deny", {})),
  }
  local allow = table.move(of_config.allow, 1, #of_config.allow, 1, {})
  for _, rule in ipairs(read(granted)) do
    allow[#allow + 1] = rule
  end
  last = { granted = key, lists = { allow = allow, ask = of_config.ask, deny = of_config.deny } }
  return last.lists
end

--- What the lists say of a tool: "deny", "ask", "allow" or nil, and the rule. `tools` are the names that it goes by.
function lists.verdict(all, tools, subject)
  for _, verdict in ipairs { "deny", "ask", "allow" } do
    for _, name in ipairs(tools) do
      local rule = rules.first(all[verdict], name, subject)
      if rule then
        return verdict, rule
      end
    end
  end
end

--- What the lists say of a path: of where it leads, and, where that is forbidden or asked about, of the name that it was
--- given. The verdict, the rule, where it leads, and whether that can be told.
function lists.of_path(all, tools, path, cwd)
  local real, known = places.leads_to(path)
  local verdict, rule = lists.verdict(all, tools, { path = real, cwd = cwd })
  if verdict ~= "deny" and real ~= path then
    local by_name, other = lists.verdict(all, tools, { path = path, cwd = cwd })
    if by_name == "deny" or by_name == "ask" then
      verdict, rule = by_name, other
    end
  end
  return verdict, rule, real, known
end

--- Whether some rule of a list is about the tool at all.
function lists.concern(list, tool)
  for _, rule in ipairs(list) do
    if pattern.matches(rule.names, tool) then
      return true
    end
  end
  return false
end

return lists
