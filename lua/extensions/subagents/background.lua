-- Children that nobody waits for. Each ends on its own; then the user is told, and the model by a message of its own, which
-- waits until the turn is over. Whoever wants a report earlier waits for it (`resume` without a prompt); ending that wait
-- leaves the child alone.
local child = require("panto.extensions.subagents.child")
local report = require("panto.extensions.subagents.report")
local reports = require("panto.extensions.subagents.child.reports")
local store = require("panto.extensions.subagents.child.store")

local background = {}

local CAP = 16 * 1024 -- bytes of a report that comes as a message

local attended = true
local running = {} -- by session id

--- Whether the program goes on when the turn is over.
function background.is_attended()
  return attended
end

--- The handler of `startup`.
function background.started(event)
  attended = event.interactive
end

local function tell(entry, result)
  panto.ext.ui.notify(("the agent \u{201c}%s\u{201d} has ended: %s"):format(result.label, result.status), result.status == "completed" and "info" or "warning")
  if entry.waiting > 0 or panto.ext.session_info().session_id ~= entry.origin then
    return
  end
  local text = ("The background agent \u{201c}%s\u{201d} has ended. Its report:\n\n%s"):format(result.label, (report.one(result, CAP)))
  local ok, why = pcall(panto.ext.session.send, text, { as = "follow_up" })
  if not ok then
    panto.ext.ui.notify(("the report of \u{201c}%s\u{201d} could not be handed on: %s"):format(result.label, tostring(why)), "warning")
  end
end

--- Starts a prepared child for a session and returns at once: a result that says so.
function background.start(one, session_id)
  one.background = true
  local entry = { child = one, origin = session_id, waiting = 0 }
  running[one.id] = entry
  entry.task = panto.task.spawn(function()
    local result = child.safely(one, function() end)
    running[one.id] = nil
    reports.keep(one.id, result)
    tell(entry, result)
    return result
  end):detach()
  return {
    label = one.label, agent = one.profile.name, id = one.id, status = report.BEGUN, resumable = true,
    output = "Its report comes as a message when it is done. Go on with other work, or end your turn; subagents.run {resume} with this id and no prompt waits for it.",
  }
end

local function wait(entry)
  entry.waiting = entry.waiting + 1
  panto.task.defer(function() entry.waiting = entry.waiting - 1 end)
  return entry.task:await()
end

local function told(one, text)
  local reached = one.job and one.job:steer(text)
  return {
    label = one.label, agent = one.profile.name, id = one.id, status = reached and "running" or "ending", resumable = true,
    output = reached and "It has been told and goes on." or "It ended at this moment and was not told; resume it again.",
  }
end

local function remembered(id)
  local kept = store.open()
  local found = kept:resolve(id)
  local conversation = found and kept:load(found.id)
  if conversation then
    local said = store.memory(conversation) or {}
    return { label = said.description or "agent", agent = said.agent, id = found.id, status = "ended before", resumable = true, output = store.last_words(conversation) }
  end
end

--- What comes of a wish about a child that the user talks with.
local function with_user(job, asks)
  if asks then
    return {
      label = job.name, id = job.session_id, status = "running", resumable = true,
      output = "The user is talking with this agent, and it was not told. Resume it again when that is over; resuming it without a prompt waits for it.",
    }
  end
  while child.with_user(job.session_id) do
    panto.task.sleep(0.2)
  end
  return remembered(job.session_id)
end

--- What a wish is about that names a child which runs, or has run, and asks for no new run; nil for any other.
function background.known(spec)
  local id = spec.resume
  if not id then
    return nil
  end
  local asks = type(spec.prompt) == "string" and spec.prompt:match("%S")
  local entry = running[id]
  local one = entry and entry.child or child.running(id)
  local other = not one and child.with_user(id)
  if other then
    return with_user(other, asks)
  end
  if entry and not asks then
    return wait(entry)
  elseif one and asks then
    return told(one, spec.prompt)
  elseif not one and not asks then
    return reports.of(id) or remembered(id)
  end
end

return background
