-- subagents.models: which models a child can be given.
local tool = require("panto.tool")

local MOST = 60

local function overview()
  local found = panto.ext.models()
  local lines = { ("This session: %s, thinking %s."):format(found.model, found.reasoning), "Providers:" }
  for _, provider in ipairs(found.providers) do
    lines[#lines + 1] = ("- %s: %s%s"):format(provider.name, tool.count(provider.models, "model"), provider.missing and (" (not usable: %s)"):format(provider.missing) or "")
  end
  lines[#lines + 1] = "A query lists models whose name has all of its words."
  return table.concat(lines, "\n")
end

local function line(model)
  local parts = { model.ref, ("window %d"):format(model.context), "thinking " .. table.concat(model.thinking, "/") }
  if model.price then
    parts[#parts + 1] = ("$%g in, $%g out per million tokens"):format(model.price.input, model.price.output)
  end
  if not model.authenticated then
    parts[#parts + 1] = "not usable: " .. (model.missing or "no key")
  end
  return "- " .. table.concat(parts, " · ")
end

local function listing(query)
  local found = panto.ext.models(query)
  if #found == 0 then
    return ("No model has %q in its name."):format(query)
  end
  table.sort(found, function(a, b)
    if a.authenticated ~= b.authenticated then
      return a.authenticated
    end
    return a.ref < b.ref
  end)
  local lines = {}
  for i = 1, math.min(#found, MOST) do
    lines[i] = line(found[i])
  end
  if #found > MOST then
    lines[#lines + 1] = ("[%d more; narrow the query]"):format(#found - MOST)
  end
  return table.concat(lines, "\n")
end

return function()
  panto.ext.register_tool {
    name = "subagents.models",
    description = "Lists models that subagents can be run with: without a query this session's model and the providers, with one the models whose names have all of its words, with window, levels of thinking and price.",
    schema = { type = "object", properties = { query = { type = "string" } }, additionalProperties = false },
    words = { ask = "list models", doing = "Listing models {query}", done = "Listed models {query}" },
    readonly = true,
    handler = function(input)
      return tool.done(input.query and input.query:match("%S") and listing(input.query) or overview())
    end,
  }
end
