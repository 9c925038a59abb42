-- Edits of files: of std.write, std.edit, and of redirections in command lines.
local lists = require("panto.extensions.permissions.lists")
local places = require("panto.extensions.permissions.places")
local preview = require("panto.extensions.permissions.preview")
local say = require("panto.extensions.permissions.say")

local edit = {}

-- However a file is changed: a rule about one of them is about both.
edit.names = { "std.edit", "std.write" }

-- Written to as often as one likes.
local DEVICES = { ["/dev/null"] = true, ["/dev/stdout"] = true, ["/dev/stderr"] = true, ["/dev/tty"] = true }

function edit.is(name)
  return name == "std.edit" or name == "std.write"
end

-- Behind one of these a relative path may lead elsewhere.
local MOVES = { cd = true, pushd = true, popd = true, source = true, ["."] = true }

local function moves(parts)
  for _, part in ipairs(parts) do
    if #part.words > 0 and (not part.program or MOVES[part.program]) then
      return true
    end
  end
  return false
end

--- The files that a command line is redirected into: absolute paths, and false for each that can't be told.
function edit.written(parts, cwd)
  local found, moved = {}, moves(parts)
  for _, part in ipairs(parts) do
    for _, write in ipairs(part.writes) do
      if write.dynamic or moved and not write.path:find("^[/~]") then
        found[#found + 1] = false
      elseif not DEVICES[write.path] then
        found[#found + 1] = places.absolute(write.path, cwd)
      end
    end
  end
  return found
end

--- What is to be said of a write to a path: "deny" with the rule, "ask" with why, or "allow"; where it leads; whether a rule
--- asks, which counts in every mode.
function edit.verdict(all, mode, path, cwd)
  local verdict, rule, real, known = lists.of_path(all, edit.names, path, cwd)
  if verdict == "deny" then
    return "deny", rule, real
  elseif verdict == "ask" then
    return "ask", say.by_rule(rule), real, true
  elseif not known then
    return "ask", "it can't be told where the path leads", real
  elseif verdict == "allow" or mode == "auto" then
    return "allow", nil, real
  end
  local guarded = places.guarded(real, places.policy(cwd))
  if mode == "workspace" and not guarded then
    return "allow", nil, real
  end
  return "ask", guarded or ("mode %s"):format(mode), real
end

--- Whether rules forbid some edits, or ask about some.
function edit.is_ruled(all)
  for _, name in ipairs(edit.names) do
    if lists.concern(all.deny, name) or lists.concern(all.ask, name) then
      return true
    end
  end
  return false
end

function edit.decide(call)
  local path = places.absolute(call.input.path, call.cwd)
  local verdict, why, real = edit.verdict(call.lists, call.mode, path, call.cwd)
  if verdict == "deny" then
    return say.denied(call.name, why)
  elseif call.mode == "plan" then
    return say.planning
  end
  -- The tool looks again when it writes: a link may have been put there in the meantime.
  local bounds = call.mode ~= "auto" and { path = real } or nil
  if verdict == "allow" then
    return bounds and { bounds = bounds } or nil
  end
  local where = real == path and path or ("%s, which leads to %s"):format(path, real)
  local diff = preview(call.name, call.input, path)
  return { ask = ("%s: %s"):format(where, why), rule = say.rule("std.edit", real), diff = diff, bounds = bounds }
end

return edit
