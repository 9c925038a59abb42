-- Programs that run what they are given: which command that is. It becomes a part of its own, beside the one of the wrapper.
-- Where it can't be told, the inner part has no program, so that only a rule for everything lets it pass.
local reader = require("panto.extensions.permissions.shell.reader")
local fail = reader.fail

local wrappers = {}

local RUN = {} -- by program: what it does with a part

local function base(program)
  return program:match("[^/]*$")
end

--- An inner part of the words from `first` to `last`; `more` if others will be added behind them.
local function command(p, part, first, last, options)
  options = options or {}
  local inner = {
    words = {}, dynamic = {}, assignments = options.assignments or {}, inner = true, loose = part.loose, unseen = options.unseen,
  }
  for i = first, last or #part.words do
    local word, n = part.words[i], #inner.words + 1
    inner.words[n] = word
    local hole = options.hole and word:find(options.hole, 1, true)
    inner.dynamic[n] = part.dynamic[i] or hole and true or nil
  end
  if #inner.words == 0 and #inner.assignments == 0 then
    return
  end
  if options.more then
    inner.words[#inner.words + 1], inner.dynamic[#inner.words + 1] = "{}", true
  end
  if options.unknown then
    inner.dynamic[1] = true
  end
  local size = 0
  for _, word in ipairs(inner.words) do
    size = size + #word + 1
  end
  reader.spend(p.out, size)
  reader.step(p.out, #inner.words)
  reader.deeper(p, p.out.emit, inner)
end

--- A text that a shell will read; what isn't known of it stays with the outer part.
local function script(p, text, name)
  local q = reader.inside(p, text)
  q.shell, q.inner = name, true
  p.out.list(q, "")
end

--- The words from `first` on as one text, if all are known.
local function joined(part, first)
  for i = first, #part.words do
    if part.dynamic[i] then
      return nil
    end
  end
  return table.concat(part.words, " ", first)
end

--- `sh -c 'text'`
local function shell(p, part)
  local i, words, runs = 2, part.words, false
  while words[i] and not part.dynamic[i] and words[i]:find("^[-+].") do
    local option = words[i]
    i = i + 1
    if option == "--" then
      break
    elseif option:find("^%-%-") then
      i = (option == "--rcfile" or option == "--init-file") and i + 1 or i
    else
      runs = runs or option:find("^%-.*c") ~= nil
      i = i + select(2, option:gsub("[oO]", ""))
    end
  end
  if runs and words[i] and not part.dynamic[i] then
    script(p, words[i], base(part.program))
  end
end

for name in ("sh bash zsh dash ksh ash"):gmatch("%S+") do
  RUN[name] = shell
end

function RUN.eval(p, part)
  local text = joined(part, part.words[2] == "--" and 3 or 2)
  if text then
    script(p, text, p.shell)
  end
end

--- Programs that take options, then a command. `short` and `long` are those with a value in the next word, `skip` is how many
--- words stand before the command, `assigns` whether `X=1` may, `never` the options with which nothing runs.
local PREFIX = {
  env = { short = "uC", long = "unset chdir", assigns = true, flags = "i0v" },
  xargs = { short = "InPdELsa", long = "max-args max-procs delimiter max-lines max-chars arg-file process-slot-var", flags = "0rtpxoeil", more = true },
  nohup = {}, setsid = { flags = "cfw" }, builtin = {}, noglob = {}, nocorrect = {}, busybox = {}, toybox = {},
  exec = { short = "a", flags = "cl" }, command = { flags = "p", never = "^%-%a*[vV]" },
  nice = { short = "n", long = "adjustment", flags = "0123456789" },
  timeout = { short = "ks", long = "kill-after signal", flags = "v", skip = 1 },
  time = { short = "fo", long = "format output", flags = "pvaq" },
  stdbuf = { short = "ioe", long = "input output error" },
  ionice = { short = "cnpPu", long = "class classdata", flags = "t", never = "^%-[pPu]" },
  chrt = { short = "TPD", flags = "abdfimoprRv", skip = 1 },
  sudo = { short = "ughpCDRTUrtc", long = "user group host prompt chdir chroot", flags = "AbEHknPSisBN", assigns = true },
  doas = { short = "uC", flags = "nsL" },
  caffeinate = { short = "tw", flags = "dimsu" },
  ["repeat"] = { skip = 1 },
  ["-"] = {},
}

--- Long options without a value.
local FLAGS = ([[ignore-environment null debug verbose preserve-status foreground no-run-if-empty exit interactive open-tty
  show-limits append quiet portability ctty fork wait ignore non-interactive preserve-env login background stdin set-home
  replace eof]]):gsub("%s+", " ")

local function listed(list, name)
  return (" " .. (list or "") .. " "):find(" " .. name .. " ", 1, true) ~= nil
end

--- One option: how many words it takes; nil if it isn't known. And what xargs puts its words for.
local function option(how, word, next)
  local long, value = word:match("^%-%-([%w%-]+)(=?)")
  if long then
    local taken = (value == "=" or listed(FLAGS, long)) and 1 or listed(how.long, long) and 2 or nil
    return taken, word:match("^%-%-replace=(.+)") or word == "--replace" and "{}" or nil
  end
  for i = 2, #word do
    local letter = word:sub(i, i)
    if (how.short or ""):find(letter, 1, true) then
      local given = word:sub(i + 1)
      return given == "" and 2 or 1, letter == "I" and (given ~= "" and given or next) or nil
    elseif letter == "i" and how.more then
      return 1, i < #word and word:sub(i + 1) or "{}"
    elseif how.more and letter:find("[el]") then
      return 1
    elseif not (how.flags or ""):find(letter, 1, true) then
      return nil
    end
  end
  return 1
end

--- The options from the second word on: where they end, whether all are known, and what xargs puts its words for.
local function options(part, how)
  local i, known, hole = 2, true, nil
  while part.words[i] and not part.dynamic[i] and part.words[i]:find("^%-.") do
    local word = part.words[i]
    if word == "--" then
      return i + 1, known, hole
    elseif how.never and word:find(how.never) then
      return nil
    end
    local taken, replaced = option(how, word, part.words[i + 1])
    known, hole = known and taken ~= nil, replaced or hole
    i = i + (taken or 1)
  end
  if how.assigns and part.words[i] == "-" then
    i = i + 1
  end
  return i, known, hole
end

local function prefix(p, part, how)
  local i, known, hole = options(part, how)
  if not i then
    return
  end
  local assignments = {}
  while how.assigns and part.words[i] and part.words[i]:find("^[%a_][%w_]*=") do
    assignments[#assignments + 1] = part.words[i]
    i = i + 1
  end
  i = i + (how.skip or 0)
  for before = 2, math.min(i, #part.words + 1) - 1 do
    known = known and not part.dynamic[before] -- it may be several words
  end
  if not known then
    i = math.min(i, #part.words)
  end
  if part.words[i] then
    command(p, part, i, nil, { assignments = assignments, unknown = not known, more = how.more and not hole, hole = hole })
  end
end

for name, how in pairs(PREFIX) do
  RUN[name] = function(p, part)
    prefix(p, part, how)
  end
end

--- `env -S 'words'`: the text stands for words of its own; only plain ones are taken apart.
function RUN.env(p, part)
  local i = 2
  while part.words[i] and part.words[i]:find("^%-[iv0]*$") do
    i = i + 1
  end
  local text = part.words[i] and (part.words[i]:match("^%-[iv0]*S(.*)") or part.words[i]:match("^%-%-split%-string(.*)"))
  if not text then
    return prefix(p, part, PREFIX.env)
  elseif text == "" then
    i = i + 1
    text = part.words[i] or ""
  end
  text = text:gsub("^=", "")
  local whole = { words = { "env" }, dynamic = {} }
  for word in text:gmatch("%S+") do
    whole.words[#whole.words + 1] = word
  end
  for j = i + 1, #part.words do
    whole.words[#whole.words + 1] = part.words[j]
    whole.dynamic[#whole.words] = part.dynamic[j]
  end
  if part.dynamic[i] or not text:find("^[%w%s_./=:,@%%+-]*$") or text:find("^%s*%-") then
    return command(p, whole, 2, nil, { unknown = true })
  end
  prefix(p, whole, PREFIX.env)
end

--- Runs of words between an option and what ends it.
local function between(p, part, starts, ends)
  local i = 2
  while part.words[i] do
    if starts[part.words[i]] then
      local first = i + 1
      i = first
      while part.words[i] and not ends(part.words, i) do
        i = i + 1
      end
      command(p, part, first, i - 1, { hole = "{" })
    end
    i = i + 1
  end
end

local FIND = { ["-exec"] = true, ["-execdir"] = true, ["-ok"] = true, ["-okdir"] = true }
local FD = { ["-x"] = true, ["-X"] = true, ["--exec"] = true, ["--exec-batch"] = true }

function RUN.find(p, part)
  between(p, part, FIND, function(words, i)
    return words[i] == ";" or words[i] == "+" and words[i - 1] == "{}"
  end)
end

function RUN.fd(p, part)
  between(p, part, FD, function(words, i)
    return words[i] == ";"
  end)
end
RUN.fdfind = RUN.fd

function RUN.parallel()
  fail("`parallel` reads its commands in a way of its own")
end

--- They run a command that stands somewhere behind their options, or in one of them: that there is one is all that is told,
--- for rules that forbid. Who allows the program allows what it runs.
local OPAQUE = [[
  flock setpriv unshare nsenter strace ltrace script ssh-agent dbus-run-session chroot runuser su taskset numactl prlimit
  setarch linux32 linux64 choom systemd-run xvfb-run valgrind gdb perf fakeroot proot bwrap firejail faketime unbuffer rlwrap
  pkexec entr torsocks proxychains proxychains4 eatmydata start-stop-daemon daemonize tmux screen at batch]]

for name in OPAQUE:gmatch("%S+") do
  RUN[name] = function(p, part)
    command(p, part, 2, nil, { unknown = true, unseen = true })
  end
end

local FOREACH = { submodule = "^foreach$", bisect = "^run$", rebase = "^%-%-?e?x" }

--- `git submodule foreach …`, `git bisect run …`, `git rebase -x …`, `git -c alias.x=… x`
function RUN.git(p, part)
  local runs
  for i = 2, #part.words do
    local word = part.words[i]
    if word == "-c" and (part.words[i + 1] or ""):lower():find("^alias%.") or runs and word:find(runs) then
      return command(p, part, i + 1, nil, { unknown = true, unseen = true })
    end
    runs = runs or FOREACH[word]
  end
end

--- `trap 'text' EXIT`
function RUN.trap(p, part)
  local i = part.words[2] == "--" and 3 or 2
  local text = part.words[i]
  if text and not part.dynamic[i] and not text:find("^%-") and part.words[i + 1] then
    script(p, text, p.shell)
  end
end

--- `alias x='text'`
function RUN.alias(p, part)
  for i = 2, #part.words do
    local text = not part.dynamic[i] and part.words[i]:match("^[^=]+=(.*)$")
    if text then
      script(p, text, p.shell)
    end
  end
end

--- `watch command`: a shell reads its words.
function RUN.watch(p, part)
  local how = { short = "nq", long = "interval equexit", flags = "bcdegtpwrxC" }
  local i, known = options(part, how)
  local text = known and joined(part, i)
  if text then
    script(p, text, "sh")
  else
    command(p, part, math.min(i, #part.words), nil, { unknown = true })
  end
end

--- The commands that a part runs itself.
function wrappers.expand(p, part)
  local run = RUN[base(part.program)]
  if run and #part.words > 1 then
    run(p, part)
  end
end

return wrappers
