-- An environment for code that nobody has read: the pure libraries, and no way to the world but what is put in. It shares
-- no table with the host: whatever the code changes, it changes for itself.
local sandbox = {}

local function copy(library, names)
  local own = {}
  for name in names:gmatch("%S+") do
    own[name] = assert(library[name], name)
  end
  return own
end

local PLAIN = "_VERSION assert error ipairs next pairs pcall rawequal rawget rawlen rawset select tonumber tostring type xpcall"

local LIBRARIES = {
  string = "byte char find format gmatch gsub len lower match pack packsize rep reverse sub unpack upper",
  table = "concat insert move pack remove sort unpack",
  math = "abs ceil cos deg exp floor fmod huge log max maxinteger min mininteger modf pi rad random sin sqrt tan tointeger type ult atan acos asin",
  utf8 = "char charpattern codepoint codes len offset",
  coroutine = "close create isyieldable resume running status wrap yield",
  os = "clock date difftime time",
}

local NAMESPACES = {
  base64 = "decode encode",
  diff = "replace unified words",
  hash = "sha256 sha512",
  json = "array decode encode",
  path = "basename dirname extension is_absolute join normalize",
  schema = "check",
  task = "all channel first sleep spawn timeout",
  text = "clean is_binary is_utf8 nearest settle strip truncate width wrap",
  time = "format monotonic now parse",
  toml = "decode encode",
  yaml = "decode encode",
}

--- Metatables of the host's own (of strings, tasks, lists) stay out of sight: they are everybody's.
local function metatables(env)
  local own = setmetatable({}, { __mode = "k" })
  function env.setmetatable(object, meta)
    if type(meta) == "table" and rawget(meta, "__gc") ~= nil then
      error("setmetatable: __gc is not available here", 2)
    end
    setmetatable(object, meta)
    own[object] = true
    return object
  end
  function env.getmetatable(object)
    return own[object] and getmetatable(object) or nil
  end
end

--- A fresh environment; `print` gets the line that the code prints.
function sandbox.new(print)
  local env = copy(_G, PLAIN)
  env._G = env
  for name, functions in pairs(LIBRARIES) do
    env[name] = copy(_G[name], functions)
  end
  env.panto = { null = panto.null }
  for name, functions in pairs(NAMESPACES) do
    env.panto[name] = copy(panto[name], functions)
  end
  metatables(env)
  function env.load(chunk, name, _, other)
    return load(chunk, name or "=(load)", "t", other == nil and env or other)
  end
  function env.print(...)
    local parts = table.pack(...)
    for i = 1, parts.n do
      parts[i] = tostring(parts[i])
    end
    print(table.concat(parts, "\t"))
  end
  return env
end

return sandbox
