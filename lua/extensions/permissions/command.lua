-- Command lines of std.shell. Each command in one is judged by itself, and each file that it is redirected into as an edit.
local edit = require("panto.extensions.permissions.edit")
local lists = require("panto.extensions.permissions.lists")
local places = require("panto.extensions.permissions.places")
local readonly = require("panto.extensions.permissions.readonly")
local rules = require("panto.extensions.permissions.rules")
local say = require("panto.extensions.permissions.say")
local shell = require("panto.extensions.permissions.shell")

local SHELL = "std.shell"
-- Written to as often as one likes.
local DEVICES = { ["/dev/null"] = true, ["/dev/stdout"] = true, ["/dev/stderr"] = true, ["/dev/tty"] = true }

--- A line that can't be taken apart is known as a whole: by a rule for all commands, or for just this line.
local function of_whole(call)
  local all, line = call.lists, call.input.command
  if lists.concern(all.deny, SHELL) or lists.concern(all.ask, SHELL) then
    return "ask", "it can't be told whether a rule of [permissions] is about it"
  end
  for _, rule in ipairs(all.allow) do
    if rules.names(rule, SHELL) and (not rule.pattern or rule.pattern == "*" or rule.text == say.rule(SHELL, line)) then
      return "allow"
    end
  end
end

--- What the rules say of the files that the line writes: the verdict ("deny", "ask", "allow", or nil where the mode
--- decides), why, and the rules that would allow the rest.
local function of_writes(call, parts, cwd)
  local worst, why, offers = "allow", nil, {}
  local function doubt(by_rule, reason)
    worst = (by_rule or worst == "ask") and "ask" or nil
    why = why or reason
  end
  for _, part in ipairs(parts) do
    for _, write in ipairs(part.writes) do
      if write.dynamic then
        doubt(edit.is_ruled(call.lists), "it can't be told which file it writes")
      elseif not DEVICES[write.path] then
        local path = places.absolute(write.path, cwd)
        local verdict, reason, real, by_rule = edit.verdict(call.lists, call.mode, path, call.cwd)
        if verdict == "deny" then
          return "deny", reason
        elseif verdict == "ask" then
          doubt(by_rule, ("it writes %s: %s"):format(path, reason))
          offers[#offers + 1] = say.rule("std.edit", real)
        end
      end
    end
  end
  return worst, why, offers
end

--- The rules that would allow what is not allowed yet, each once.
local function offers_of(call, parts, of_files)
  local offers, seen = {}, {}
  local function offer(text)
    if not seen[text] then
      seen[text] = true
      offers[#offers + 1] = text
    end
  end
  for _, part in ipairs(parts) do
    if rules.command(call.lists, { part }) ~= "allow" then
      offer(rules.offer(part))
    end
  end
  for _, text in ipairs(of_files) do
    offer(text)
  end
  return offers
end

--- What the line is about: the verdict of the rules, why, and what "always" would add.
local function judge(call, cwd)
  local parts, problem = shell.split(call.input.command)
  if not parts then
    local verdict, why = of_whole(call)
    return { verdict = verdict, why = why or ("the command line can't be taken apart (%s)"):format(problem), offers = { say.rule(SHELL, call.input.command) } }
  end
  local verdict, rule = rules.command(call.lists, parts)
  if verdict == "deny" then
    return { verdict = "deny", rule = rule }
  end
  local files, why, offers = of_writes(call, parts, cwd)
  if files == "deny" then
    return { verdict = "deny", rule = why }
  end
  local worst = (verdict == "ask" or files == "ask") and "ask" or verdict == "allow" and files
  local reason = verdict == "ask" and say.by_rule(rule) or why
  local open = offers_of(call, parts, offers)
  if #open == 0 then
    -- A rule of `ask` is about what another allows.
    open = offers_of({ lists = { allow = {}, ask = {}, deny = {} } }, parts, offers)
  end
  return { verdict = worst or nil, why = reason, offers = open, parts = parts }
end

local function looks_only(parts)
  for _, part in ipairs(parts or {}) do
    if not readonly.is(part) then
      return false
    end
  end
  return parts ~= nil
end

--- Whether the operating system can hold commands here, and why not.
local function sandbox()
  local support = panto.sandbox.support()
  return support.available, support.reason
end

local function plan(call, judged)
  if not looks_only(judged.parts) or call.input.run_in_background then
    return say.planning
  end
  local bounds = sandbox() and { sandbox = places.policy(call.cwd) } or nil
  if judged.verdict == "ask" then
    return { ask = judged.why, rule = judged.offers, command = call.input.command, bounds = bounds }
  end
  return bounds and { bounds = bounds } or nil
end

return function(call)
  local input, mode = call.input, call.mode
  local cwd = input.cwd and places.absolute(input.cwd, call.cwd) or call.cwd
  local judged = judge(call, cwd)
  if judged.verdict == "deny" then
    return say.denied(SHELL, judged.rule)
  elseif mode == "plan" then
    return plan(call, judged)
  end
  local function ask(why, bounds)
    return { ask = why, rule = judged.offers, command = input.command, bounds = bounds }
  end
  if mode == "auto" then
    return judged.verdict == "ask" and ask(judged.why) or nil
  elseif mode == "ask" then
    return judged.verdict ~= "allow" and ask(judged.why or "mode ask") or nil
  end
  local held, why_not = sandbox()
  if held and not input.outside_sandbox then
    local bounds = { sandbox = places.policy(call.cwd) }
    return judged.verdict == "ask" and ask(judged.why, bounds) or { bounds = bounds }
  elseif judged.verdict == "allow" then
    return nil
  elseif judged.verdict == "ask" then
    return ask(judged.why)
  elseif held then
    return ask("outside of the sandbox, with all your rights: " .. (input.description or "it says that the sandbox does not let it do its work"))
  end
  return ask(("there is no sandbox here to run it in (%s)"):format(why_not))
end
