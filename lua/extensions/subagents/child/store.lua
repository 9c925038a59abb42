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

local FORKS = 50 -- of forks that are looked through

--- The id of the session that a file was forked from.
local function parent_of(file)
  local fine, text = pcall(panto.fs.read, file, { limit = 64 * 1024 })
  local read, head = pcall(panto.json.decode, fine and text:match("^[^\n]*") or "")
  return read and type(head) == "table" and type(head.parent) == "string" and head.parent or nil
end

--- The file of a session in a folder, by its id.
local function file_of(folder, id)
  local fine, entries = pcall(panto.fs.walk, folder, { glob = "*_" .. id .. ".jsonl", ignored = true, max = 1, depth = 1 })
  return fine and entries[1] and panto.path.join(folder, entries[1].path) or nil
end

--- The conversation of a child: { id, conversation }. One of the session that this was forked from has no id here: it goes on
--- as another child. Nil where there is none.
function store.find(kept, id)
  local found = kept:resolve(id)
  local conversation = found and kept:load(found.id)
  if conversation then
    return { id = found.id, conversation = conversation }
  end
  local info = panto.ext.session_info()
  local file = info.session_file
  for _ = 1, FORKS do
    local parent = file and parent_of(file)
    file = parent and file_of(info.session_dir, parent)
    if not file then
      return nil
    end
    local former = panto.file_system_jsonl_store { dir = (file:gsub("%.jsonl$", "")) }
    local one = former:resolve(id)
    conversation = one and former:load(one.id)
    if conversation then
      return { conversation = conversation }
    end
  end
end

--- What a child's conversation says of it: the metadata of its last prompt, else of the message that made it one. Records
--- that cannot be read are passed over.
function store.memory(conversation)
  for i = #conversation:messages(), 1, -1 do
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
