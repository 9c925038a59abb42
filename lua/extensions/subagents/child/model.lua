-- The model of a child: that of the call, of its profile, of its former life, or that of the session.
local claude = require("panto.extensions.subagents.profiles.claude")

local model = {}

--- A model of a kind ("haiku") from the provider of the session's model; nil where it has none.
local function of_kind(kind, session)
  local provider = session:match("^([^:]*):")
  for _, known in ipairs(panto.ext.models(kind)) do
    if known.authenticated and known.ref:match("^([^:]*):") == provider then
      return known.ref
    end
  end
end

--- What `resolve_model` gives for the wishes, or nil and the problem. `wishes` = { model?, thinking?, tool_choice? } of the
--- call, `profile`, and `kept`, what a child was run with before.
function model.choose(wishes, profile, kept)
  local info = panto.ext.session_info()
  local name = wishes.model or (kept and kept.model) or profile.model
  local level = wishes.thinking or (not wishes.model and kept and kept.thinking) or profile.thinking
  if name and claude.is_kind(name) then
    name = info.model and of_kind(name, info.model)
  end
  if not name or name == "inherit" then
    name, level = info.model, level or info.reasoning
  end
  if not name then
    return nil, "no model is chosen for this session"
  end
  return panto.ext.resolve_model { model = name, reasoning = level, tool_choice = wishes.tool_choice }
end

return model
