-- Command lines of std.shell. Each command in one is judged by itself, and each file that it is redirected into as an edit.
local edit = require("panto.extensions.permissions.edit")
local lists = require("panto.extensions.permissions.lists")
local places = require("panto.extensions.permissions.places")
local readonly = require("panto.extensions.permissions.readonly")
local rules = require("panto.extensions.permissions.rules")
local say = require("panto.extensions.permissions.say")
local shell = require("panto.extensions.permissions.shell")

local SHELL = "std.shell"

--- A rule for just this line, which may be the only one there can be.
local function line_rule(call)
  return say.rule(SHELL, call.input.command)
end

--- Whether a rule allows the line as it stands, or whatever it is.
local function is_known(call)
  local own = line_rule(call)
  for _, rule in ipairs(call.lists.allow) do
    if rule.text == own or (rule.tool == SHELL and (not rule.pattern or rule.pattern == "*")) then
      return true
    end
  end
  return false
end

--- A line that can't be taken apart is known as a whole, or not at all.
local function of_whole(call, problem)
  local judged = { why = ("the command line can't be taken apart (%s)"):format(problem), offers = { line_rule(call) } }
  if lists.concern(call.lists.deny, SHELL) or lists.concern(call.lists.ask, SHELL) then
    judged.verdict, judged.why = "ask", judged.why .. ", so it can't be told whether a rule of [permissions] is about it"
  elseif is_known(call) then
    judged.verdict = "allow"
  end
  return judged
end

--- What the rules say of the files that the line writes: the verdict ("deny", "ask", "allow", or nil where the mode
--- decides), why, and the rules that would allow the rest.
local function of_writes(call, parts, cwd)
  local worst, why, offers = "allow", nil, {}
  local function doubt(by_rule, reason)
    worst = (by_rule or worst == "ask") and "ask" or nil
    why = why or reason
  end
  for _, path in ipairs(edit.written(parts, cwd)) do
    if not path then
      doubt(edit.is_ruled(call.lists), "it can't be told which file it writes")
    else
      local verdict, reason, real, by_rule = edit.verdict(call.lists, call.mode, path, call.cwd)
      if verdict == "deny" then
        return "deny", reason
      elseif verdict == "ask" then
        doubt(by_rule, ("it writes %s: %s"):format(path, reason))
        offers[#offers + 1] = say.rule("std.edit", real)
      end
    end
  end
  return worst, why, offers
end

--- The rules that would allow what is not allowed yet, each once; where a command has none of its own, one for the line.
local function offers_of(call, all, parts, of_files)
  local offers, seen = {}, {}
  local function offer(text)
    if not seen[text] then
      seen[text] = true
      offers[#offers + 1] = text
    end
  end
  for _, part in ipairs(parts) do
    if #part.words + #part.assignments > 0 and rules.command(all, { part }) ~= "allow" then
      local own = rules.offer(part)
      if not own then
        return { line_rule(call) }
      end
      offer(own)
    end
  end
  for _, text in ipairs(of_files) do
    offer(text)
  end
  return offers
end

--- What the line is about: the verdict of the rules, why, and what "always" would add.
local function judge(call, cwd)
  local parts, problem = shell.split(call.input.command, panto.process.shell())
  if not parts then
    return of_whole(call, problem)
  end
  local verdict, rule = rules.command(call.lists, parts)
  if verdict == "deny" then
    return { verdict = "deny", rule = rule }
  end
  local because = verdict == "ask" and say.by_rule(rule)
  if verdict ~= "ask" then
    local unsure = rules.unsure(call.lists, parts)
    if unsure then
      verdict, because = "ask", say.unsure(unsure)
    end
  end
  local files, why, of_files = of_writes(call, parts, cwd)
  if files == "deny" then
    return { verdict = "deny", rule = why }
  elseif verdict == "ask" or files == "ask" then
    -- Whatever else allows it: the rule is about just this.
    local offers = offers_of(call, {}, parts, of_files)
    return { verdict = "ask", why = because or why, offers = offers, parts = parts }
  elseif is_known(call) or (verdict == "allow" and files == "allow") then
    return { verdict = "allow", parts = parts }
  end
  return { why = why, offers = offers_of(call, call.lists, parts, of_files), parts = parts }
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
  return support.available, support.why
end

--- The numbers that a `kill` is about; nil where it is about something else, too.
local function targets(words)
  local first = 2
  if (words[2] or ""):find("^%-%w+$") and words[2] ~= "-s" then
    first = 3
  elseif words[2] == "-s" then
    first = 4
  end
  first = words[first] == "--" and first + 1 or first
  local numbers = {}
  for i = first, #words do
    numbers[#numbers + 1] = words[i]:find("^%-?%d+$") and math.tointeger(tonumber(words[i]))
    if #numbers < i - first + 1 then
      return nil
    end
  end
  return #numbers > 0 and numbers or nil
end

--- Whether the line does nothing but end, by their numbers, processes that commands of this session have started. In the
--- sandbox it could not: each command is held apart from those before it.
local function ends_own(parts)
  for _, part in ipairs(parts or {}) do
    local plain = part.program == "kill" and #part.assignments + #part.writes == 0 and not next(part.dynamic)
    local numbers = plain and targets(part.words)
    if not numbers then
      return false
    end
    for _, number in ipairs(numbers) do
      if number == 0 or number == -1 or not panto.process.own(number) then
        return false
      end
    end
  end
  return parts ~= nil and #parts > 0
end

local function plan(call, judged)
  if not looks_only(judged.parts) or call.input.run_in_background then
    return say.planning
  end
  local bounds = sandbox() and { sandbox = places.looking(call.cwd) } or nil
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
  if judged.verdict == nil and ends_own(judged.parts) then
    return nil
  end
  local held, why_not = sandbox()
  if held and not input.outside_sandbox then
    local policy = input.run_in_background and places.lasting or places.policy
    local bounds = { sandbox = policy(call.cwd) }
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
