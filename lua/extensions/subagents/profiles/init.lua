-- Profiles of agents: those that ship, the user's, and the project's where its folder is trusted. Later layers take the
-- place of earlier ones by name. The folders are looked through each time somebody asks, so that a file that was just
-- written counts, but a text is parsed once; what is wrong with one is told once.
local read = require("panto.extensions.subagents.profiles.read")
local tool = require("panto.tool")

local profiles = {}

local SHIPPED = { "explore", "general", "plan", "review" }
local MOST, LARGEST = 500, 256 * 1024

--- The profile of whoever asks for none.
profiles.usual = "general"

local told = {}
local parsed = {} -- by path: { text, profile }, profile is false where it cannot be used
local own -- those that ship

local function warner(file)
  return function(what, line)
    local text = ("agent %s%s: %s"):format(file, line and (":%d"):format(line) or "", what)
    if not told[text] then
      told[text] = true
      panto.ext.ui.notify(text, "warning")
    end
  end
end

local function shipped()
  if own then
    return own
  end
  local found = {}
  for _, name in ipairs(SHIPPED) do
    local text = require("panto.extensions.subagents.agents." .. name)
    local source = { file = ("panto/agents/%s.md"):format(name), stem = name, layer = "shipped" }
    found[#found + 1] = read(text, source, function(what) error(source.file .. ": " .. what) end)
  end
  own = found
  return found
end

local function short(path)
  local home = panto.env.home()
  return home and path:sub(1, #home + 1) == home .. "/" and "~" .. path:sub(#home + 1) or panto.path.relative(path)
end

--- The profile of a file; nil where it cannot be used.
local function of_file(source, warn)
  local fine, text = pcall(panto.fs.read, source.file, { limit = LARGEST })
  if not fine then
    warn("cannot be read: " .. tostring(text))
    return nil
  end
  local known = parsed[source.file]
  if not known or known.text ~= text then
    known = { text = text, profile = read(text, source, warn) or false }
    parsed[source.file] = known
  end
  return known.profile or nil
end

--- The profiles below a folder, by their paths; of a name in there twice the first counts.
local function below(folder, layer, foreign)
  local found, seen = {}, {}
  local ok, files = pcall(panto.fs.walk, folder, { glob = "*.md", ignored = true, follow = true, max = MOST })
  for _, entry in ipairs(ok and files or {}) do
    local path = panto.path.join(folder, entry.path)
    local warn = warner(short(path))
    local source = { file = path, stem = panto.path.basename(path):gsub("%.md$", ""), layer = layer, foreign = foreign }
    local profile = of_file(source, warn)
    if profile and seen[profile.name] then
      warn(("is called `%s`, as %s is; rename one of them"):format(profile.name, short(seen[profile.name])))
    elseif profile then
      seen[profile.name] = path
      found[#found + 1] = profile
    end
  end
  return found
end

local function layers()
  local info, home = panto.ext.session_info(), panto.env.home()
  local all = { shipped() }
  all[#all + 1] = home and below(panto.path.join(home, ".claude/agents"), "user", true)
  all[#all + 1] = below(panto.path.join(panto.env.config(), "agents"), "user")
  if info.trusted then
    all[#all + 1] = below(panto.path.join(info.cwd, ".claude/agents"), "project", true)
    all[#all + 1] = below(panto.path.join(info.cwd, ".panto/agents"), "project")
  end
  return all
end

--- All profiles by name, and their names sorted.
function profiles.all()
  local by_name = {}
  for _, layer in ipairs(layers()) do
    for _, profile in ipairs(layer) do
      by_name[profile.name] = profile
    end
  end
  return by_name, tool.names(by_name)
end

--- The profile of a name; nil and what there is.
function profiles.get(name)
  local by_name, names = profiles.all()
  if by_name[name] then
    return by_name[name]
  end
  return nil, ("there is no agent named %q%s; the agents are: %s"):format(name, tool.hint(name, names), table.concat(names, ", "))
end

--- The first paragraph of a profile's description.
function profiles.summary(profile)
  local first = (profile.description .. "\n"):match("^(.-)\n")
  return panto.text.truncate(first ~= "" and first or "(no description)", 400)
end

--- A line for each profile: its name and what it is for.
function profiles.lines()
  local by_name, names = profiles.all()
  local lines = {}
  for i, name in ipairs(names) do
    lines[i] = ("- %s: %s"):format(name, profiles.summary(by_name[name]))
  end
  return lines
end

return profiles
