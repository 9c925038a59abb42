-- Which calls of git only read. Its options may be shortened, so whatever could be the beginning of one that writes is
-- refused, too.
local words = require("panto.extensions.permissions.readonly.words")

local git = {}

local set = words.set

--- With all options but those that write a file or run a program.
local LOOKS = set([[
  status log diff show shortlog blame annotate rev-parse rev-list ls-files ls-tree describe grep cat-file merge-base name-rev
  count-objects for-each-ref show-ref diff-tree diff-index diff-files whatchanged check-ignore check-attr cherry
  range-diff version --version]])

local FINE = set("--oneline --others --objects --objects-edge --ours --only-matching --or --exclude-standard --exit-code --exclude")

local function look(part, at)
  for i = at + 1, #part.words do
    local word = part.words[i]
    if not words.safe(part, i) then
      return false
    elseif word == "--" then
      return true
    elseif not FINE[word:match("^[^=]*")] and (word:find("^%-%-?o") or word:find("^%-%-ex") or word:find("^%-%a*O")) then
      return false
    end
  end
  return true
end

--- Words of these and no others; `values` are options that take the next word, `all` those with which operands are patterns.
local function only(options, values, all)
  options, values, all = set(options), set(values or ""), set(all or "")
  return function(part, at)
    local open, i = false, at + 1
    while part.words[i] do
      local word = part.words[i]
      if part.dynamic[i] then
        return false
      end
      open = open or all[word] ~= nil
      if values[word] then
        i = i + 1
      elseif not (options[word] or all[word] or options[word:match("^%-%-[%w-]+=") or ""] or open and not word:find("^%-")) then
        return false
      end
      i = i + 1
    end
    return true
  end
end

local branches = only("-a -r -v -vv --all --remotes --verbose --show-current --sort= --format= --no-color --color= --column --no-column",
  "--contains --no-contains --merged --no-merged --points-at --sort", "-l --list")
local tags = only("--sort= --format= -n --no-column", "--contains --merged --no-merged --points-at --sort", "-l --list")
local places = "--global --local --system --show-origin --show-scope --name-only -z --null --bool --int --path --type="
local settings = only(places .. " list", nil, "--get --get-all --get-regexp --list -l get")

local function config(part, at)
  local gets = set("--get --get-all --get-regexp --list -l get list")
  for i = at + 1, #part.words do
    if gets[part.words[i]] then
      return settings(part, at)
    end
  end
  return false
end

--- Subcommands of subcommands.
local function first(allowed)
  allowed = set(allowed)
  return function(part, at)
    return allowed[part.words[at + 1] or ""] ~= nil and look(part, at + 1)
  end
end

local BY_NAME = {
  branch = branches, tag = tags, config = config, stash = first("list show"), worktree = first("list"), reflog = first("show"),
  remote = function(part, at)
    local word = part.words[at + 1]
    return word == nil or (word == "-v" or word == "--verbose") and #part.words == at + 1 or word == "get-url" and look(part, at + 1)
  end,
}

--- Whether a call of git only reads.
function git.reads(part)
  local at = 2
  while part.words[at] == "--no-pager" or part.words[at] == "-C" or part.words[at] == "-P" do
    at = at + (part.words[at] == "-C" and 2 or 1)
  end
  local name = part.words[at]
  for i = 2, at do
    if not name or part.dynamic[i] then
      return false
    end
  end
  if LOOKS[name] then
    return look(part, at)
  end
  local check = BY_NAME[name]
  return check ~= nil and check(part, at)
end

return git
