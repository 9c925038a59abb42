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
