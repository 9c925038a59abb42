-- What a child's file remembers of the child, so that it can go on: it lies with the message that made it one, and with each
-- of its prompts.
local fields = require("panto.extensions.subagents.profiles.fields")
local profiles = require("panto.extensions.subagents.profiles")
local store = require("panto.extensions.subagents.child.store")

local memory = {}

--- What is written. `allow` is what the call has limited, `held` what its profile holds it to.
function memory.of(child)
  local names = panto.json.array {}
  for i, declaration in ipairs(child.tools) do
    names[i] = declaration.name
  end
  return {
    agent = child.profile.name, model = child.config.model, thinking = child.config.reasoning, description = child.label,
    tools = names, allow = child.given.allow, held = fields.keep(child.profile),
  }
end

--- The profile of a child: as its file is now, or, without that, what it was told to be and held to.
local function profile_of(said)
  local profile = profiles.get(said.agent or profiles.usual)
  if profile then
    return profile
  end
  local held, problem = fields.restore(type(said.held) == "table" and said.held or {})
  if not held then
    return nil, problem
  end
  held.name, held.description, held.prompt, held.tools = said.agent, "", "", said.tools and fields.readers.tools(said.tools)
  return held
end

--- A conversation of the store that goes on: { id, conversation, profile, model, thinking, given }; nil and why there is none.
function memory.revive(kept, id)
  local found = store.find(kept, id)
  local conversation = found and found.conversation
  if not conversation then
    return nil, ("there is no agent with the session id %q that could be resumed: only those of this session with an answer of their own can be"):format(id)
  end
  local said = store.memory(conversation) or {}
  local profile, problem = profile_of(said)
  local limits, why = fields.restore { allow = said.allow }
  if not profile or not limits then
    return nil, ("what the agent %s may do can't be read in its file any more (%s); start another one"):format(id, problem or why)
  end
  local given = { tools = said.tools and fields.readers.tools(said.tools), allow = limits.allow }
  return { id = found.id, conversation = conversation, profile = profile, model = said.model, thinking = said.thinking, given = given }
end

return memory
