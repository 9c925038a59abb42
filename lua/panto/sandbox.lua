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
  task = "channel sleep",
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

--- Tasks that end with the code: it can't let one go (`detach`), nor start one in the last moments that would outlive it
--- (in a `__close` of code that is ended). The second result ends all, for ever.
local function tasks()
  local host, running, own, over = panto.task, {}, {}, false

  local function stop()
    over = true
    for _, task in ipairs(running) do
      task:cancel()
    end
    running = {}
  end

  -- Ended ones are forgotten when there are as many again.
  local kept = 64
  local function remember(task)
    running[#running + 1] = task
    if #running > 2 * kept then
      local live = {}
      for _, one in ipairs(running) do
        live[#live + 1] = not one:done() and one or nil
      end
      running, kept = live, math.max(64, #live)
    end
  end

  function own.spawn(f, ...)
    if type(f) ~= "function" then
      error("panto.task.spawn: a function expected, got " .. type(f), 2)
    end
    if over then
      error("panto.task.spawn: the code has ended", 2)
    end
    local task = host.spawn(f, ...)
    remember(task)
    local object = {}
    function object:await(timeout)
      return task:await(timeout)
    end
    function object:cancel()
      task:cancel()
    end
    function object:done()
      return task:done()
    end
    return object
  end

  --- `host[name]` of the list with tasks in place of functions; those are cancelled where `leave` doesn't say otherwise.
  local function together(name, leave)
    own[name] = function(list)
      if type(list) ~= "table" then
        error("panto.task." .. name .. ": a table expected, got " .. type(list), 2)
      end
      local all, started = {}, {}
      for i, item in ipairs(list) do
        if type(item) == "function" then
          item = own.spawn(item)
          started[#started + 1] = item
        end
        all[i] = item
      end
      local ended = table.pack(pcall(host[name], all))
      for _, task in ipairs(leave and ended[1] and {} or started) do
        task:cancel()
      end
      if not ended[1] then
        error(ended[2], 0)
      end
      return table.unpack(ended, 2, ended.n)
    end
  end
  together("all", true)
  together("first", false)

  function own.timeout(seconds, f, ...)
    if type(seconds) ~= "number" then
      error("panto.task.timeout: seconds expected, got " .. type(seconds), 2)
    end
    local task = own.spawn(f, ...)
    local ended = table.pack(pcall(task.await, task, seconds))
    task:cancel()
    if not ended[1] then
      error(ended[2], 0)
    end
    return table.unpack(ended, 2, ended.n)
  end

  return own, stop
end

--- A fresh environment, and a function that ends what the code has started; `print` gets the line that the code prints.
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
  local own, stop = tasks()
  for name, f in pairs(own) do
    env.panto.task[name] = f
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
  return env, stop
end

return sandbox
