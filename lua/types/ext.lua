---@meta

--- The host.
---@class panto.ext
panto.ext = {}

--- As `panto.register_tool`.
---@param tool panto.Tool
function panto.ext.register_tool(tool) end

--- As `panto.register_command`.
---@param command panto.Command
function panto.ext.register_command(command) end

---@alias panto.Event
---| "startup" | "ready" | "shutdown" | "reload"
---| "session_start" | "session_end" | "session_switch" | "session_fork"
---| "input" | "turn_start" | "turn_end" | "agent_start" | "agent_end"
---| "system_prompt" | "context" | "before_request" | "after_response" | "message_start" | "message_end"
---| "tool_call" # returns the input to use, or `{ block = true, reason = … }`; an error blocks
---| "approval" # returns "allow", "deny", "ask", `{ deny = reason }` or `{ ask = reason, rule = … }`; an error blocks
---| "tool_start" | "tool_update" | "tool_end" | "model_change" | "thinking_change"
---| "compact_before" | "compact_after" | "job_start" | "job_update" | "job_end" | "cancel" | "notice"

--- Subscribes to an event. Handlers are asked in the order of subscription, each as a coroutine.
---@param event panto.Event
---@param handler fun(event: table): any
---@return integer id for `off`
function panto.ext.on(event, handler) end

--- Ends a subscription; a handler that runs ends as usual.
---@param id integer
---@return boolean was whether there was one
function panto.ext.off(id) end

---@class panto.SessionInfo
---@field session_id? string
---@field session_dir? string
---@field session_file? string children lie in the folder of this name without `.jsonl`
---@field model? string `provider:model`
---@field reasoning? string
---@field cwd string

--- A fresh table each time.
---@return panto.SessionInfo
function panto.ext.session_info() end

--- A setting by its name in config.toml (`tools.shell_timeout`); secrets are left out. Without a default an unknown
--- name raises.
---@param key string
---@param default? any
---@return any
function panto.ext.config(key, default) end

---@class panto.ext.json
panto.ext.json = {}

---@param value any
---@return string
function panto.ext.json.encode(value) end

--- Raises the reason, without a position, when the text is no JSON.
---@param text string
---@return any
function panto.ext.json.decode(text) end
