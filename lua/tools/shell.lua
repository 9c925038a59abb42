-- std.shell: a command line. How it runs (own session, no terminal, killed as a whole) is panto.process's business; here
-- is what a model may ask for and how it is told what came of it.
local tool = require("panto.tool")

local LONGEST = 3600 -- seconds

-- Nothing that waits for keys or paints: there is nobody at a terminal.
local env = {
  TERM = "dumb",
  PAGER = "cat",
  GIT_PAGER = "cat",
  MANPAGER = "cat",
  GIT_TERMINAL_PROMPT = "0",
  DEBIAN_FRONTEND = "noninteractive",
}

local function seconds(input)
  local usual = panto.ext.config("tools.shell_timeout", 300)
  local asked = input.timeout or 0
  return math.min(asked > 0 and asked or usual, LONGEST)
end

--- How it ended, a line each; nothing about a success.
local function notes(result, limit)
  local lines = {}
  local function note(...)
    lines[#lines + 1] = string.format(...)
  end
  if result.timed_out then
    note("timed out after %g s: it was killed, with all that it had started", limit)
  elseif result.signal then
    note("killed by %s", result.signal_name and ("%s (%d)"):format(result.signal_name, result.signal) or "signal " .. result.signal)
  elseif result.code ~= 0 then
    note("exit code %d", result.code)
  end
  if result.background then
    local goes = result.spill and ("; their output goes on in %s"):format(result.spill) or ""
    note("processes in the background go on (process group %d) until panto ends or you kill them%s", result.background, goes)
  end
  if result.spill_full then
    note("the file %s is at its limit and lacks the rest", result.spill)
  end
  return lines
end

--- Output as text. Unreadable bytes take more room as text than they had.
local function shown(result, most)
  local text = panto.text.settle(result.output):gsub("\n+$", "")
  if #text > most then
    local note = ("\n[… %d bytes left out]\n"):format(#text - most)
    text = panto.text.clean(text:sub(1, most // 2)) .. note .. panto.text.clean(text:sub(-(most // 2)))
  end
  return text
end

--- A chunk for the screen: every state of a progress bar is a line of its own.
local function live(chunk)
  return (panto.text.clean(panto.text.strip(chunk)):gsub("\r\n?", "\n"))
end

--- What a sandboxed command has done to places that run code later, put back unless the user wants to keep it.
local function undone(changes)
  local names = {}
  for i, change in ipairs(changes) do
    names[i] = ("%s (%s%s)"):format(change.path, change.what, change.late and " by what goes on in the background" or "")
  end
  local list = table.concat(names, ", ")
  local text = "What is written there is run later, outside of the sandbox."
  for _, change in ipairs(changes) do
    text = text .. (change.diff and "\n\n" .. change.diff or "")
  end
  local title = "keep this change of the command? " .. list
  local keep = panto.ext.ui.confirm(text, { title = title, default = false, yes = "keep it", no = "undo it" })
  if keep then
    return ("the command changed %s, and the user keeps that"):format(list)
  end
  local failed = {}
  for _, change in ipairs(changes) do
    local _, problem = tool.try(panto.sandbox.undo, change)
    failed[#failed + 1] = problem
  end
  return ("the command changed %s, which it may not without asking: it was undone%s"):format(
    list, #failed > 0 and ", but for: " .. table.concat(failed, "; ") or "")
end

local function sandbox_notes(result, lines)
  local held = result.sandbox
  if held and #held.changes > 0 then
    lines[#lines + 1] = undone(held.changes)
  end
  if held and held.refused then
    lines[#lines + 1] = "the command ran in a sandbox, which seems to have refused something: it writes only below the workspace, the "
      .. "temp folder and caches, and reads no credentials. If the task needs more, call std.shell again with `outside_sandbox = true` "
      .. "and say in `description` what for: the user is asked"
  end
end

local function told(result, limit, most, input)
  local text, lines = shown(result, most), notes(result, limit)
  sandbox_notes(result, lines)
  if text == "" then
    text = #lines == 0 and "(no output, exit code 0)" or "(no output)"
  end
  for _, line in ipairs(lines) do
    text = ("%s\n[%s]"):format(text, line)
  end
  return {
    content = { { type = "text", text = text } },
    is_error = result.timed_out or result.signal ~= nil or result.code ~= 0,
    details = {
      exit_code = result.code, signal = result.signal_name or result.signal, spill = result.spill,
      timed_out = result.timed_out or nil, background = result.background,
    },
  }
end

local function not_started(problem)
  if problem:find("working directory", 1, true) then
    problem = problem .. ". Make it again (std.write makes the folders of a file), or pass another one as `cwd`."
  end
  return tool.failed(problem)
end

local function in_background(input, options)
  local started, problem = tool.try(panto.process.detach, options)
  if not started then
    return not_started(problem)
  end
  local text = ("Started in the background as process %d. Its output goes to %s, and so does word of its end. "
    .. "Stop it, and what it starts, with: kill -- -%d"):format(started.pid, started.log, started.pid)
  return tool.done(text, { pid = started.pid, spill = started.log })
end

local function handler(input, call)
  local bytes, lines = tool.limits()
  local limit = seconds(input)
  local options = { cmd = input.command, cwd = input.cwd, env = env, sandbox = call.bounds and call.bounds.sandbox }
  if input.run_in_background then
    return in_background(input, options)
  end
  options.timeout, options.merge = limit, true
  options.max_output, options.max_lines = math.max(bytes - 512, bytes // 2), lines
  options.on_output = function(chunk)
    call:append(live(chunk))
  end
  local result, problem = tool.try(panto.process.run, options)
  if not result then
    return not_started(problem)
  end
  return told(result, limit, bytes)
end

return {
  name = "std.shell",
  description = "Runs a command line in a shell and returns its output, standard error included, and its exit code if it isn't 0. Each call "
    .. "is a new shell in the working directory; nothing can be typed into it. Long output comes as its beginning and end, with the path of "
    .. "a file that holds all of it. A server or a watcher belongs in the background: set `run_in_background`. To read, write, edit, search "
    .. "or list files the std tools for that do better.",
  schema = {
    type = "object",
    properties = {
      command = { type = "string", minLength = 1, description = "The command line." },
      timeout = { type = "number", description = "Seconds until it is killed; without it those of the configuration (300), at most 3600." },
      description = { type = "string", description = "What it does, in a few words, for the user." },
      cwd = { type = "string", description = "The folder to run it in, instead of the working directory." },
      outside_sandbox = {
        type = "boolean",
        description = "Only after the sandbox has refused something that the task needs: run it outside of it. The user is asked; say in `description` what for.",
      },
      run_in_background = { type = "boolean", description = "Return at once, with its process id and the file that its output goes to." },
    },
    required = { "command" },
  },
  aliases = {
    cmd = "command", script = "command", workdir = "cwd", working_directory = "cwd", directory = "cwd",
    runInBackground = "run_in_background", background = "run_in_background", timeout_s = "timeout", timeout_seconds = "timeout",
  },
  words = { ask = "run {command}", doing = "Running {command}", done = "Ran {command}" },
  handler = handler,
}
