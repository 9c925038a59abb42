-- Children that nobody waits for. Each ends on its own; then the user is told, and the model by a message of its own as soon
-- as nothing is under way. Whoever wants a report earlier waits for it (`resume` without a prompt); ending that wait leaves
-- the child alone.
--
-- That a report is owed, and that it was given, stands in the session: what was owed when the program ended, or another
-- session was opened, is told with the first turn after the session is there again.
local child = require("panto.extensions.subagents.child")
local report = require("panto.extensions.subagents.report")
local reports = require("panto.extensions.subagents.child.reports")
local store = require("panto.extensions.subagents.child.store")

local background = {}

local CAP = 16 * 1024 -- bytes of a report that comes as a message
local OWED, GIVEN = "subagents.owed", "subagents.given" -- entries of the session

local attended = true
local running = {} -- by session id
local untold = {} -- reports that wait for a turn: { task }, by session id

--- Whether the program goes on when the turn is over.
function background.is_attended()
  return attended
end

--- The handler of `startup`.
function background.started(event)
  attended = event.interactive
end

local function write(name, data)
  local ok, why = pcall(panto.ext.session.append, name, data)
  if not ok then
    panto.log.debug(("%s of %s could not be noted: %s"):format(name, data.id, tostring(why)))
  end
end

--- The model has the report, or is about to: it is not told again.
local function given(id)
  local waiting = untold[id]
  untold[id] = nil
  if waiting then
    waiting.task:cancel()
  end
  write(GIVEN, { id = id })
end

--- Tells the model of a session; what no turn takes stays owed, also where the session is left.
local function deliver(id, session_id, how, text)
  local waiting = {}
  untold[id] = waiting
  waiting.task = panto.task.spawn(function()
    local ok, why = pcall(panto.ext.session.send, text, { as = how, session_id = session_id })
    if untold[id] == waiting then
      untold[id] = nil
    end
    if ok then
      write(GIVEN, { id = id })
    else
      panto.log.debug(("the report of %s waits for the session to be opened again: %s"):format(id, tostring(why)))
    end
  end):detach()
end

--- Whether a call waits for it. One that was cancelled has a moment left, and nobody who reads what it hears by then.
local function is_awaited(entry)
  for call in pairs(entry.calls) do
    if not call:cancelled() then
      return true
    end
  end
  return false
end

local function tell(entry, result)
  if panto.ext.session_info().session_id ~= entry.origin then
    return
  end
  panto.ext.ui.notify(("the agent \u{201c}%s\u{201d} has ended: %s"):format(result.label, result.status), result.status == "completed" and "info" or "warning")
  if not is_awaited(entry) then
    local text = ("The background agent \u{201c}%s\u{201d} has ended. Its report:\n\n%s"):format(result.label, (report.one(result, CAP)))
    deliver(entry.child.id, entry.origin, "when_idle", text)
  end
end

--- Starts a prepared child for a session and returns at once: a result that says so.
function background.start(one, session_id)
  one.background = true
  local entry = { child = one, origin = session_id, calls = {} }
  running[one.id] = entry
  entry.task = panto.task.spawn(function()
    local result = child.safely(one, function() end)
    running[one.id] = nil
    reports.keep(one.id, result)
    tell(entry, result)
    return result
  end):detach()
  write(OWED, { id = one.id, session_id = session_id, label = one.label, agent = one.profile.name })
  return {
    label = one.label, agent = one.profile.name, id = one.id, status = report.BEGUN, resumable = true,
    output = "Its report comes as a message when it is done. Go on with other work, or end your turn; subagents.run {resume} with this id and no prompt waits for it.",
  }
end

local function wait(entry, call)
  entry.calls[call] = true
  panto.task.defer(function() entry.calls[call] = nil end)
  local result = entry.task:await()
  if not call:cancelled() then
    given(entry.child.id)
  end
  return result
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
function background.known(spec, call)
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
    return wait(entry, call)
  elseif one and asks then
    return told(one, spec.prompt)
  elseif not one and not asks then
    local result = reports.of(id) or remembered(id)
    if result then
      given(id)
    end
    return result
  end
end

--- What is still owed to the model of a session, in the order of its promises.
local function owed_in(session_id)
  local dir = store.open().dir
  -- Children that ran in the background have files; without any the session need not be read.
  if not (dir and panto.fs.stat(dir)) then
    return {}
  end
  local owed, order = {}, {}
  for _, entry in ipairs(panto.ext.session.entries { named = { OWED, GIVEN } }) do
    local data = entry.data
    if entry.name == GIVEN then
      owed[data.id] = nil
    elseif data.session_id == session_id then
      owed[data.id] = data
      order[#order + 1] = data.id
    end
  end
  local list = {}
  for _, id in ipairs(order) do
    list[#list + 1], owed[id] = owed[id], nil
  end
  return list
end

--- The handler of `session_start`: what was owed is told with the next turn.
function background.opened(event)
  if not event.resumed then
    return
  end
  for _, owed in ipairs(owed_in(event.session_id)) do
    if not running[owed.id] and not untold[owed.id] then
      local result = reports.of(owed.id) or remembered(owed.id)
        or { label = owed.label, agent = owed.agent, id = owed.id, status = "stopped", resumable = false, output = "" }
      local text = ("The background agent \u{201c}%s\u{201d} does not run any more: the session was closed before its report could be told. What there is of it:\n\n%s"):format(owed.label, (report.one(result, CAP)))
      deliver(owed.id, event.session_id, "with_next", text)
      panto.ext.ui.notify(("the agent \u{201c}%s\u{201d} was cut off when the session was closed; what there is of it goes to the model with your next message"):format(owed.label), "info")
    end
  end
end

return background
