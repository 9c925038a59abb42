-- Where paths lead, and what kind of place that is.
local places = {}

local FRESH = 2 -- seconds for which what is found out about a working directory holds

local known = {} -- by working directory

--- What the sandbox lets commands do that work in `cwd`: the measure for everything else, too.
function places.policy(cwd)
  local now, found = panto.time.monotonic(), known[cwd]
  if not found or now - found.at > FRESH then
    found = { at = now, policy = panto.sandbox.policy { cwd = cwd } }
    known = { [cwd] = found }
  end
  return found.policy
end

--- From now on the places are looked at anew.
function places.forget()
  known = {}
end

--- The same for commands that are to change nothing: only temp folders are writable, without which no here-document works.
function places.looking(cwd)
  local usual, temporary = places.policy(cwd), {}
  for _, folder in ipairs { "/tmp", "/var/tmp", "/dev/shm", os.getenv("TMPDIR") } do
    local real, known = places.leads_to(folder)
    if known and real:sub(1, 1) == "/" and not places.within(usual.workspace, real) and not places.within(real, usual.workspace) then
      temporary[#temporary + 1] = real
    end
  end
  return {
    workspace = "/nonexistent", write = temporary, read_deny = usual.read_deny, sockets = usual.sockets, network = usual.network,
  }
end

--- The same for commands that go on when nobody looks at what they have done: settings of git are not theirs to change.
function places.lasting(cwd)
  local policy = {}
  for name, value in pairs(places.policy(cwd)) do
    policy[name] = value
  end
  policy.protect = table.move(policy.git_config, 1, #policy.git_config, #policy.protect + 1, table.move(policy.protect, 1, #policy.protect, 1, {}))
  policy.git_config = {}
  return policy
end

--- As the tools take it: below the working directory, `~` put in.
function places.absolute(path, cwd)
  if path:sub(1, 1) == "~" then
    return panto.path.absolute(path)
  end
  return panto.path.normalize(panto.path.join(cwd, path))
end

--- Where a write to the path would end up, links followed; the path itself where that can't be told.
function places.leads_to(path)
  local ok, real = pcall(panto.fs.realpath, path, { missing = true })
  return ok and real or path, ok
end

--- What a tool that reads looks into. `std.find` takes the folder from an absolute pattern, too.
function places.looked_into(name, input)
  local pattern = input.pattern
  if name == "std.find" and input.path == nil and type(pattern) == "string" and pattern:sub(1, 1) == "/" then
    return pattern:match("^(/[^%*%?%[{]*)/") or "/"
  end
  return type(input.path) == "string" and input.path or "."
end

function places.within(path, folder)
  return path == folder or folder == "/" or path:sub(1, #folder + 1) == folder .. "/"
end

local real = setmetatable({}, { __mode = "k" }) -- by list

--- The places of a policy's list without links.
local function reals(folders)
  local found = real[folders]
  if not found then
    found = {}
    for i, folder in ipairs(folders) do
      found[i] = (places.leads_to(folder))
    end
    real[folders] = found
  end
  return found
end

local function within_any(path, folders)
  for _, folder in ipairs(reals(folders)) do
    if places.within(path, folder) then
      return folder
    end
  end
end

-- What the system tells of processes: their environments hold keys, panto's own among them.
local PROCESSES = "/proc"

--- The credentials that a path is, or is among.
function places.credentials(path, policy)
  if path == PROCESSES or path:find("^/proc/%d") then
    return PROCESSES
  end
  return within_any(path, policy.read_deny)
end

--- What a tool that looks into a folder leaves out.
function places.hidden(path, policy)
  local list = table.move(reals(policy.read_deny), 1, #policy.read_deny, 1, {})
  if not places.within(path, PROCESSES) then
    list[#list + 1] = PROCESSES
  end
  return list
end

-- What somebody else starts, or is led by to what he starts: git's hooks and settings, the file that says where a repository
-- is, panto's own folder; in whatever project, and as file systems that don't tell cases apart see it.
local RUN = { "/%.git$", "/%.git/", "/%.panto$", "/%.panto/" }

--- Why a path may not be written without asking, if so.
function places.guarded(path, policy)
  local name = path:lower()
  for _, pattern in ipairs(RUN) do
    if name:find(pattern) then
      return "what is written there is run later"
    end
  end
  if within_any(path, policy.protect) or within_any(path, policy.git_config or {}) then
    return "what is written there is run later"
  elseif places.credentials(path, policy) then
    return "it holds credentials"
  elseif path ~= policy.workspace and not places.within(path, policy.workspace) and not within_any(path, policy.write) then
    return "it is outside of the workspace " .. policy.workspace
  end
  local ok, stat = pcall(panto.fs.stat, path)
  if not ok then
    return "it can't be told what is there"
  elseif stat and stat.type == "file" and stat.links > 1 then
    return ("the file has %d names, and others may lie outside of the workspace"):format(stat.links)
  end
end

return places
