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

--- Gives a tool of one's own another description, from the next turn on. Each change costs the prompt cache of the
--- conversation: for what seldom changes.
---@param name string
---@param description string
function panto.ext.describe_tool(name, description) end

---@class panto.SessionInfo
---@field session_id? string
---@field session_dir? string
---@field session_file? string children lie in the folder of this name without `.jsonl`
---@field model? string `provider:model`
---@field reasoning? string
---@field cwd string
---@field trusted boolean what the project brings counts

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

---@class panto.ProviderModel
---@field id string
---@field name? string
---@field context? integer tokens of the window
---@field output? integer tokens of an answer
---@field input? ("text"|"image")[]
---@field thinking? ("off"|"minimal"|"low"|"medium"|"high"|"xhigh"|"max")[]
---@field price? { input: number, output: number, cache_read?: number, cache_write?: number } USD per million tokens

--- What `stream` gets. Tool names are those of the wire.
---@class panto.ProviderRequest
---@field model string
---@field provider string
---@field system string
---@field messages { role: "system"|"user"|"assistant", blocks: table[] }[] blocks as in the session file
---@field tools { name: string, description: string, schema: table }[]
---@field tool_choice "auto"|"none"|"required"|{ tool: string }
---@field thinking string
---@field max_tokens integer
---@field session_id string

---@alias panto.ProviderEvent
---| { type: "text", text: string }
---| { type: "thinking", text: string, signature?: string }
---| { type: "tool_call", id?: string, name: string, input: table }
---| { type: "usage", input?: integer, output?: integer, cache_read?: integer, cache_write?: integer, reasoning?: integer }
---| { type: "stop", reason?: "stop"|"length"|"tool_use" }
---| { type: "error", message: string, kind?: string, status?: integer, retry_after?: number }

---@class panto.Provider
---@field name string before the colon of `name:model`
---@field dialect? "openai_chat"|"openai_responses"|"anthropic_messages"
---@field base_url? string
---@field api_key_env? string the right `env` is needed where there is an `extension.toml`
---@field api_key_command? string[] the same with `run`
---@field api_key? string
---@field headers? table<string, string>
---@field quirks? table
---@field models? (string|panto.ProviderModel)[]
---@field stream? fun(request: panto.ProviderRequest, emit: fun(event: panto.ProviderEvent)) speaks a dialect of its own
--- (on `panto.http.stream`) instead of a `base_url`. It may wait; when the answer is no longer wanted it is ended. What it
--- raises ends the answer; an `error` event whose `kind` is "rate_limit", "server", "connection", "cut" or "idle" is tried again

--- Adds a provider: its models can be chosen as `name:model`. The configuration's own of the same name wins. Raises
--- BadRegistration, naming the field, and DuplicateProvider.
---@param provider panto.Provider
function panto.ext.register_provider(provider) end
