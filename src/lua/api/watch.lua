-- `panto.fs.watch` on the host's half. With `on_change` a task waits in the script's place; it ends with the call or the
-- extension that watches, and the watch with it.
local host, task = ...

local Watch = {}
local WATCH = { __name = "panto.Watch", __index = Watch, __metatable = false }

--- The next changes when they have settled; nil when it is closed, or with "timeout" when none came in so many seconds.
function Watch:next(timeout)
  return host.next(self.watch, timeout)
end

function Watch:close()
  host.close(self.watch)
end

--- For `for changes in watch do`.
function WATCH:__call()
  return host.next(self.watch)
end

WATCH.__close = Watch.close

return function(path, options)
  local on_change = type(options) == "table" and options.on_change or nil
  if on_change ~= nil and type(on_change) ~= "function" then
    error("panto.fs.watch: `on_change` must be a function, got " .. type(on_change), 2)
  end
  local ok, opened = pcall(host.open, path, options)
  if not ok then
    error(opened, 2)
  end
  local watch = setmetatable({ watch = opened }, WATCH)
  host.keep(function()
    watch:close()
  end)
  if on_change then
    task.spawn(function()
      local watching <close> = watch
      for changes in watching do
        on_change(changes)
      end
    end)
  end
  return watch
end
