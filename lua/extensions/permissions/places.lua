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

function places.within(path, folder)
  return path == folder or folder == "/" or path:sub(1, #folder + 1) == folder .. "/"
end

local function within_any(path, folders)
  for _, folder in ipairs(folders) do
    if places.within(path, (places.leads_to(folder))) then
      return folder
    end
  end
end

--- The credentials that a path is, or is among; or that lie below it.
function places.credentials(path, policy)
  return within_any(path, policy.read_deny)
end

-- Code that somebody else starts: git's hooks and settings, panto's own, in whatever project.
local RUN = { "/%.git/hooks$", "/%.git/hooks/", "/%.git/config$", "/%.git/modules/.*/hooks", "/%.git/modules/.*/config$", "/%.panto$", "/%.panto/" }

--- Why a path may not be written without asking, if so.
function places.guarded(path, policy)
  for _, pattern in ipairs(RUN) do
    if path:find(pattern) then
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
  local stat = panto.fs.stat(path)
  if stat and stat.type == "file" and stat.links > 1 then
    return ("the file has %d names, and others may lie outside of the workspace"):format(stat.links)
  end
end

return places
