-- `panto.process` on the host's half: what waits and calls back does so in the caller's own coroutine, so that it may
-- wait itself, and an error in it ends the command.
local host = ...

local process = {}

--- Runs a command to its end.
function process.run(options)
  local started, problem = host.start(options)
  if not started then
    error(problem, 2)
  end
  -- However this coroutine ends, the command does not outlive it.
  local running <close> = started
  local on_output = options.on_output
  if on_output then
    local chunk = host.news(running)
    while chunk do
      on_output(chunk)
      chunk = host.news(running)
    end
  end
  local result, failed = host.result(running)
  if not result then
    error(failed, 2)
  end
  return result
end

--- Starts a command and leaves it to itself: `{pid, log}`.
function process.detach(options)
  local result, problem = host.detach(options)
  if not result then
    error(problem, 2)
  end
  return result
end

local Live = {}
local LIVE = { __name = "panto.Live", __index = Live, __metatable = false }
function LIVE:__close()
  Live.kill(self)
end

function Live:write(bytes)
  return host.write(self.live, bytes)
end

function Live:close_stdin()
  return host.close_stdin(self.live)
end

--- The next line without its end; nil after the last, or with "timeout" when none came in so many seconds.
function Live:read_line(timeout)
  return host.read_line(self.live, timeout)
end

--- What came on standard error so far.
function Live:errors()
  return host.errors(self.live)
end

--- Sends a signal (a number, else SIGTERM) to the command and all that it started.
function Live:kill(signal)
  return host.kill(self.live, signal)
end

--- Waits for the end: code, signal.
function Live:wait()
  return host.wait(self.live)
end

--- Whether a process was started here, or by what was.
function process.own(number)
  return host.own(number)
end

--- The name of the shell that reads command lines.
function process.shell()
  return host.shell()
end

--- Starts a long-lived command to talk with.
function process.spawn(options)
  local live, pid = host.spawn(options)
  if not live then
    error(pid, 2)
  end
  return setmetatable({ live = live, pid = pid }, LIVE)
end

return process
