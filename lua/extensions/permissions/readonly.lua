-- Which commands only read: what plan mode lets run. A program is on a list here, and where it has options that write or
-- run something, those are looked at. What a word is may then not depend on anything.
local git = require("panto.extensions.permissions.readonly.git")
local words = require("panto.extensions.permissions.readonly.words")

local readonly = {}

local set, safe, none = words.set, words.safe, words.none

--- Whatever their words are. The wrappers among them are looked at by their inner part, which is a part of its own.
local ALWAYS = set([[
  ls cat head tail wc stat du df pwd cd echo grep egrep fgrep which type cut tr nl basename dirname realpath readlink cmp comm
  diff paste fold fmt column tac rev expand unexpand seq true false : id whoami uname printenv groups nproc uptime free ps
  pgrep md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum sum od hexdump strings base64 jq exit break continue
  command builtin timeout nice]])

local CHECKED = {}

--- Programs whose words must not begin with one of these.
local WITHOUT = {
  tree = { "^%-%a*[oR]", "^%-%-output" },
  find = { "^%-exec", "^%-ok", "^%-delete$", "^%-fprint", "^%-fls$" },
  rg = { "^%-%-pre$", "^%-%-pre=", "^%-%-hostname" },
  ag = { "^%-%-pager" },
  fd = { "^%-%a*[xX]", "^%-%-exec" },
  file = { "^%-%a*C", "^%-%-c" },
  sort = { "^%-[^-]*o", "^%-%-o", "^%-%-co" },
  man = { "^%-" },
  xargs = { "^%-%-process" },
}
WITHOUT.fdfind = WITHOUT.fd

for name, options in pairs(WITHOUT) do
  CHECKED[name] = function(part)
    return none(part, 2, options)
  end
end

--- An operand that could turn out to be more has left the part without a program already.
for _, name in ipairs { "[", "test", "[[" } do
  CHECKED[name] = function(part)
    for i = 2, #part.words do
      if part.words[i]:find("^%-[vR]$") then
        return false
      end
    end
    return true
  end
end

function CHECKED.uniq(part)
  local files = 0
  for i = 2, #part.words do
    files = files + (part.words[i]:find("^%-.") and 0 or 1)
  end
  return files <= 1 and next(part.dynamic) == nil
end

function CHECKED.date(part)
  local i = 2
  while part.words[i] do
    local word = part.words[i]
    local known = word:find("^%+") or word:find("^%-[uR]$") or word:find("^%-I%a*$") or word:find("^%-%-utc$")
      or word:find("^%-%-iso%-8601") or word:find("^%-%-date=") or word:find("^%-%-rfc")
    if word == "-d" or word == "-r" then
      i = i + 1
    elseif not known then
      return false
    end
    i = i + 1
  end
  return next(part.dynamic) == nil
end

--- The program has options that write a file; what it times is looked at by itself.
function CHECKED.time(part)
  local i = 2
  while part.words[i] and part.words[i]:find("^%-.") do
    if not part.words[i]:find("^%-[pv]+$") then
      return false
    end
    i = i + 1
  end
  return not part.dynamic[i]
end

function CHECKED.env(part)
  return #part.words == 1
end

--- `sed -n` with nothing but lines to print.
function CHECKED.sed(part)
  local quiet, script = false, nil
  for i = 2, #part.words do
    local word = part.words[i]
    if word:find("^%-[nErsu]+$") then
      quiet = quiet or word:find("n", 1, true) ~= nil
    elseif word:find("^%-") or not safe(part, i) or not script and part.dynamic[i] then
      return false
    else
      script = script or word
    end
  end
  for command in (script or "x"):gmatch("[^;\n]+") do
    local prints = command:find("^%s*[%d,$~+ ]*[pq=]%s*$") or command:find("^%s*/[^/\\]*/p%s*$")
      or command:find("^%s*/[^/\\]*/,/[^/\\]*/p%s*$") or command:find("^%s*/[^/\\]*/,[+%d$]+p%s*$")
    if not prints then
      return false
    end
  end
  return quiet and script ~= nil
end

function CHECKED.cargo(part)
  return set("tree metadata pkgid locate-project version --version -V")[part.words[2]] ~= nil
    and none(part, 2, { "^%-%-config", "^%-Z", "^%-C" })
end

function CHECKED.go(part)
  return part.words[2] == "version" and #part.words == 2
end

CHECKED.git = git.reads

local VERSIONED = set([[
  rustc node python python3 npm pnpm yarn bun deno gcc g++ clang clang++ make cmake ninja java javac ruby perl lua php bash
  docker kubectl terraform gh pip pip3 uv rustup sed awk tar curl ssh]])

local function version(part)
  return VERSIONED[part.name] and #part.words == 2 and part.words[2] == "--version"
end

--- The program's name if it is the one of the system or the first on the path.
local function name(program)
  return program:match("^/usr/bin/([^/]+)$") or program:match("^/bin/([^/]+)$") or not program:find("/", 1, true) and program or nil
end

local function writes(part)
  for _, write in ipairs(part.writes) do
    if write.dynamic or write.path ~= "/dev/null" then
      return true
    end
  end
  return false
end

--- Whether a part of a command line only reads. One without words is the redirection of a compound command.
---@param part permissions.shell.Part
---@return boolean
function readonly.is(part)
  if writes(part) or #part.assignments > 0 then
    return false
  elseif #part.words == 0 then
    return true
  end
  local known = part.program and name(part.program)
  if not known then
    return false
  elseif ALWAYS[known] then
    return true
  end
  local check = CHECKED[known]
  return check ~= nil and check(part) or version({ name = known, words = part.words }) or false
end

return readonly
