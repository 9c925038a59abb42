-- What a profile's `allow` and `deny` take from a child. They only ever take: whatever they leave is judged by the
-- permissions as any other call, and a child of a child is held to what its parent is held to.
local lists = require("panto.extensions.permissions.lists")
local places = require("panto.extensions.permissions.places")
local rules = require("panto.extensions.permissions.rules")
local shell = require("panto.extensions.permissions.shell")

local narrow = {}

local held = {} -- by job: { agent, allow, deny, tools, above }

local FILES = { ["std.read"] = true, ["std.write"] = true, ["std.edit"] = true, ["std.grep"] = true, ["std.find"] = true, ["std.ls"] = true }
local DEVICES = { ["/dev/null"] = true, ["/dev/stdout"] = true, ["/dev/stderr"] = true }

local function read(texts)
  local list = {}
  for _, text in ipairs(texts or {}) do
    list[#list + 1] = rules.read(text)
  end
  return list
end

--- Holds the calls of a job to a profile, and to what holds the job that started it.
function narrow.hold(job, profile)
  local above = held[job:info().parent or ""]
  if above or profile.allow or profile.deny then
    local allow = profile.allow and read(profile.allow)
    held[job.id] = { agent = profile.name, allow = allow, deny = read(profile.deny), tools = profile.tools or {}, above = above }
  end
end

function narrow.release(job)
  held[job.id] = nil
end

--- A tool that no `allow` is about is free where `tools` names it: those say which tools, the rules say what with them.
local function is_free(hold, name)
  if not hold.allow then
    return true
  elseif lists.concern(hold.allow, name) then
    return false
  end
  for _, tool in ipairs(hold.tools) do
    if tool == name then
      return true
    end
  end
  return false
end

local function of_path(hold, name, path, cwd)
  local real = places.leads_to(places.absolute(path, cwd))
  local names = (name == "std.edit" or name == "std.write") and { "std.edit", "std.write" } or { name }
  local verdict, rule = lists.verdict({ allow = hold.allow or {}, ask = {}, deny = hold.deny }, names, { path = real, cwd = cwd })
  if verdict == "deny" then
    return ("the rule `%s` forbids it"):format(rule.text)
  elseif verdict ~= "allow" and not is_free(hold, name) then
    return "no rule of `allow` lets it"
  end
end

local function of_line(hold, line, cwd)
  local free = is_free(hold, "std.shell")
  local parts, problem = shell.split(line)
  if not parts then
    local concerns = not free or lists.concern(hold.deny, "std.shell")
    return concerns and ("the command line can't be taken apart (%s)"):format(problem) or nil
  end
  local verdict, rule, part = rules.command({ allow = hold.allow, deny = hold.deny }, parts)
  if verdict == "deny" then
    return ("the rule `%s` forbids it"):format(rule.text)
  elseif not free and verdict ~= "allow" then
    return ("no rule of `allow` lets `%s` run"):format(part and part.text or line)
  end
  for _, one in ipairs(parts) do
    for _, write in ipairs(one.writes) do
      if write.dynamic then
        if not free then
          return "it can't be told which file it writes"
        end
      elseif not DEVICES[write.path] then
        local why = of_path(hold, "std.write", write.path, cwd)
        if why and (not free or why:find("forbids", 1, true)) then
          return ("it writes %s, and %s"):format(write.path, why)
        end
      end
    end
  end
end

local function refusal(hold, event)
  local input = event.input
  if event.name == "std.shell" and type(input.command) == "string" then
    local cwd = type(input.cwd) == "string" and places.absolute(input.cwd, event.cwd) or event.cwd
    return of_line(hold, input.command, cwd)
  elseif FILES[event.name] then
    return of_path(hold, event.name, type(input.path) == "string" and input.path or ".", event.cwd)
  end
  local verdict, rule = lists.verdict({ allow = hold.allow or {}, ask = {}, deny = hold.deny }, { event.name })
  if verdict == "deny" then
    return ("the rule `%s` forbids it"):format(rule.text)
  elseif verdict ~= "allow" and not is_free(hold, event.name) then
    return "no rule of `allow` lets it"
  end
end

--- The handler of `approval`.
function narrow.judge(event)
  local hold = held[event.agent or ""]
  while hold do
    local why = event.name ~= "emit_result" and refusal(hold, event)
    if why then
      return { deny = ("%s was not run: the agent %q may not do this, %s"):format(event.name, hold.agent, why) }
    end
    hold = hold.above
  end
end

return narrow
