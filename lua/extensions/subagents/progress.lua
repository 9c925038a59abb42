-- What children are doing, a line for each, from the events of their jobs.
local progress = {}

local PAUSE = 0.1 -- seconds in which events are gathered

local MARKS = { queued = "○", running = "●", retrying = "●", waiting = "⚠", completed = "✓", limit = "■", failed = "✗", cancelled = "✗", skipped = "○" }

local function thousands(tokens)
  return tokens < 1000 and ("%d tokens"):format(tokens) or ("%.1fk tokens"):format(tokens / 1000)
end

--- The figure of the list of jobs.
local function all(usage)
  return usage.input + usage.output + usage.cache_read + usage.cache_write
end

local function line(row)
  local parts = { ("%s %s"):format(MARKS[row.state] or "●", row.label), row.agent }
  if row.state ~= "running" then
    parts[#parts + 1] = row.state
  end
  parts[#parts + 1] = row.doing
  if row.tokens > 0 then
    parts[#parts + 1] = thousands(row.tokens)
  end
  return table.concat(parts, " · ")
end

local function take(row, event)
  if event.type == "status" then
    row.state = event.status
    row.doing = event.status == "retrying" and event.text or nil
  elseif event.type == "tool_start" then
    row.doing = event.title
  elseif event.type == "thinking" then
    row.doing = "thinking"
  elseif event.type == "text" then
    row.doing = "answering"
  elseif event.type == "question" then
    row.state, row.doing = "waiting", "asks for " .. event.tool_name
  elseif event.type == "usage" then
    row.tokens = all(event.total)
  end
end

--- The lines of some children. `show(text)` is called when they change.
function progress.new(show)
  local rows, last = {}, nil

  local function paint()
    local lines = {}
    for i, row in ipairs(rows) do
      lines[i] = line(row)
    end
    local text = table.concat(lines, "\n")
    if text ~= last then
      last = text
      show(text)
    end
  end

  local self = {}

  --- A row for a child, before it starts.
  function self.add(label, agent)
    local row = { label = label, agent = agent, state = "queued", tokens = 0 }
    rows[#rows + 1] = row
    paint()
    return row
  end

  --- Follows a job until it ends, in a task of its own.
  function self.follow(row, job)
    panto.task.spawn(function()
      for event in function() return job:await_event() end do
        while event do
          take(row, event)
          event = job:next_event()
        end
        paint()
        panto.task.sleep(PAUSE)
      end
    end)
  end

  --- The end of a row, whether its job tells it or not: nobody reads the last events of one that is closed.
  function self.ended(row, result)
    row.tokens = result.usage and all(result.usage) or row.tokens
    local why = result.error ~= result.status and result.error
    row.state, row.doing = result.status, why and panto.text.truncate((why:gsub("%s+", " ")), 100) or nil
    paint()
  end

  return self
end

return progress
