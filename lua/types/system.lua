---@meta

---@class panto.env
---@field os string `linux`, `macos`
---@field arch string `x86_64`, `aarch64`
panto.env = {}

--- A variable of panto's own environment.
---@param name string
---@return string?
function panto.env.get(name) end

--- The working directory of the running call.
---@return string
function panto.env.cwd() end

---@return string?
function panto.env.home() end

--- The folder for panto's data.
---@return string
function panto.env.data() end

--- The folder of panto's configuration.
---@return string
function panto.env.config() end

---@class panto.time
panto.time = {}

--- Seconds since 1970.
---@return number
function panto.time.now() end

--- Seconds on a clock that only goes forward.
---@return number
function panto.time.monotonic() end

--- RFC 3339 in UTC.
---@param at? number seconds since 1970; now
---@return string
function panto.time.format(at) end

--- Seconds since 1970 of an RFC 3339 time; nil if it is none.
---@param text string
---@return number?
function panto.time.parse(text) end

--- Lines for the log, under the extension's name.
---@class panto.log
panto.log = {}

---@param ... any
function panto.log.debug(...) end

---@param ... any
function panto.log.info(...) end

---@param ... any
function panto.log.warn(...) end

---@param ... any
function panto.log.error(...) end
