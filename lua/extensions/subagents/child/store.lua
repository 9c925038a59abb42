-- Where children are kept: in a folder beside the session's file, which has its name. A session that keeps nothing has
-- children that keep nothing.
local store = {}

function store.open()
  local file = panto.ext.session_info().session_file
  if not file then
    return panto.null_store()
  end
  return panto.file_system_jsonl_store { dir = (file:gsub("%.jsonl$", "")) }
end

--- What a child's conversation says of it: the metadata of the message that made it one. Records that cannot be read are
--- passed over.
function store.memory(conversation)
  for i in ipairs(conversation:messages()) do
    local ok, data = pcall(conversation.message_metadata, conversation, i)
    local own = ok and type(data) == "table" and data.subagents
    if type(own) == "table" and type(own.agent) == "string" then
      return own
    end
  end
end

--- The last words of a child.
function store.last_words(conversation)
  local said = conversation:messages()
  for i = #said, 1, -1 do
    if said[i].role == "assistant" then
      local texts = {}
      for _, block in ipairs(said[i].blocks) do
        texts[#texts + 1] = block.text
      end
      if #texts > 0 then
        return table.concat(texts, "\n")
      end
    end
  end
  return ""
end

return store
