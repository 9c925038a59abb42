-- What is said of a call: nothing (it runs), that it is refused, or that the user is asked.
local command = require("panto.extensions.permissions.command")
local edit = require("panto.extensions.permissions.edit")
local lists = require("panto.extensions.permissions.lists")
local places = require("panto.extensions.permissions.places")
local say = require("panto.extensions.permissions.say")

-- Tools that look into one place.
local READS = { ["std.read"] = true, ["std.grep"] = true, ["std.find"] = true, ["std.ls"] = true }

local function read(call)
  local policy = places.policy(call.cwd)
  local path = places.absolute(places.looked_into(call.name, call.input), call.cwd)
  local verdict, rule, real, known = lists.of_path(call.lists, { call.name }, path, call.cwd)
  local credentials = call.mode ~= "auto" and places.credentials(real, policy)
  local bounds = call.mode ~= "auto" and { read_deny = places.hidden(real, policy) } or nil
  if verdict == "deny" then
    return say.denied(call.name, rule)
  elseif verdict ~= "allow" and not known and call.mode ~= "auto" then
    return { ask = ("it can't be told where %s leads"):format(path), rule = say.rule(call.name, real), bounds = bounds }
  elseif verdict == "ask" or (credentials and verdict ~= "allow") then
    local why = verdict == "ask" and say.by_rule(rule) or ("it would read %s, which holds credentials"):format(path)
    return { ask = why, rule = say.rule(call.name, real) }
  end
  -- What was agreed to is read; beside it nothing else of the kind.
  return not credentials and bounds and { bounds = bounds } or nil
end

local function other(call)
  local verdict, rule = lists.verdict(call.lists, { call.name })
  if verdict == "deny" then
    return say.denied(call.name, rule)
  elseif call.mode == "plan" and not call.readonly then
    return say.planning
  elseif verdict == "ask" then
    return { ask = say.by_rule(rule), rule = call.name }
  elseif call.mode == "auto" or call.readonly or verdict == "allow" then
    return nil
  end
  return { ask = ("mode %s: what %s does is not known"):format(call.mode, call.name), rule = call.name }
end

return function(event)
  local call = {
    name = event.name, input = event.input, cwd = event.cwd, mode = event.mode, readonly = event.readonly,
    lists = lists.with(event.granted),
  }
  -- Input that a hook has spoilt is refused by the schema.
  if call.name == "std.shell" then
    if type(call.input.command) ~= "string" then
      return nil
    end
    -- What holds a command is as the places are when it begins.
    places.forget()
    return command(call)
  elseif edit.is(call.name) then
    return type(call.input.path) == "string" and edit.decide(call) or nil
  elseif READS[call.name] and type(call.input.path or "") == "string" then
    return read(call)
  end
  return other(call)
end
