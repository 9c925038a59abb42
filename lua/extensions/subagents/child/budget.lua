-- What a child may spend, over all of its runs for one task.
local budget = {}

local NAMES = { max_turns = "%d model requests (max_turns)", max_tokens = "%d tokens (max_tokens)", max_cost = "$%.2f (max_cost)", timeout = "%g seconds (timeout)" }

--- What a call grants, else what its profile does: { whole, left }, both by the names of profiles.
function budget.of(granted, profile)
  local whole = {
    max_turns = granted.turns or profile.max_turns, max_tokens = granted.tokens or profile.max_tokens,
    max_cost = granted.cost or profile.max_cost, timeout = granted.seconds or profile.timeout,
  }
  local left = {}
  for name, most in pairs(whole) do
    -- Nothing at all means that there is no limit.
    left[name] = most > 0 and most or nil
  end
  return { whole = whole, left = left }
end

--- Puts the limits of a run into its options.
function budget.limit(own, options)
  options.max_turns, options.max_tokens = own.left.max_turns, own.left.max_tokens
  options.max_cost, options.max_seconds = own.left.max_cost, own.left.timeout
end

--- Takes what a run has used.
function budget.spend(own, result)
  local usage = result.usage or {}
  local tokens = (usage.input or 0) + (usage.output or 0) + (usage.cache_read or 0) + (usage.cache_write or 0)
  local spent = { max_turns = result.turns or 0, max_tokens = tokens, max_cost = usage.cost or 0, timeout = result.seconds or 0 }
  for name, rest in pairs(own.left) do
    own.left[name] = rest - spent[name]
  end
end

--- The limit at which nothing is left, in words.
function budget.exhausted(own)
  for name, words in pairs(NAMES) do
    if own.left[name] and own.left[name] <= 0 then
      return "stopped at the limit of " .. words:format(own.whole[name])
    end
  end
end

return budget
