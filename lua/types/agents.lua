---@meta

--- What an agent asks: from `panto.ext.resolve_model`, for `panto.agent`.
---@class panto.ModelConfig
---@field model string `provider:model`
---@field reasoning string the level that is used: the nearest one that the model has
---@field style "messages"|"chat"|"responses"|"faux" how its provider is spoken to
---@field wire_model string the name that goes to the provider
---@field tool_choice? any as it was given

---@class panto.ToolDeclaration
---@field name string
---@field description? string
---@field schema? table
---@field _source? string what runs it, where it comes from `agent:tools()`
---@field readonly? boolean it changes nothing; for tools with a `handler`
---@field handler? fun(input: table, call: panto.Call): any runs it, for this agent only; without one and without `_source` it is only declared, for `dispatch_tools = false`

---@class panto.AgentOptions
---@field config panto.ModelConfig
---@field store panto.Store
---@field session_id? string of a conversation in the store that goes on
---@field conversation? panto.Conversation its messages, from `store:load`
---@field system? string|boolean said before the conversation's own system messages; true: what the primary is told

--- An agent of one's own, or the primary, which is borrowed: it is only looked at.
---@class panto.Agent
local Agent = {}

---@return panto.Conversation
function Agent:conversation() end

--- Known before the first run.
---@return string
function Agent:session_id() end

--- Sorted by name.
---@return panto.ToolDeclaration[]
function Agent:tools() end

--- From the next run on. A declaration with `_source` has the handler that it had there.
---@param declarations panto.ToolDeclaration[]
function Agent:set_tools(declarations) end

---@class panto.RunOptions
---@field prompt? string
---@field blocks? (string|{ type: "text", text: string }|{ type: "image", mime: string, data: string })[] after the prompt, or instead of it
---@field metadata? table kept with the prompt: `conversation:message_metadata`
---@field dispatch_tools? boolean false: one request, whose calls are returned and not run
---@field wake_fd? integer the writing end of a pipe: a byte for each event, and one at the end
---@field name? string for lists; else the prompt's beginning
---@field max_turns? integer model requests
---@field max_cost? number USD
---@field max_tokens? integer tokens of its requests, in and out
---@field max_seconds? number from when it runs; what was said until then is kept

--- Starts a run and returns at once. It ends with the tool call that started it (see `job:detach`), and with the extension.
---@param options panto.RunOptions
---@return panto.Job? job
---@return string? problem
function Agent:run_async(options) end

--- Runs to the end.
---@param options panto.RunOptions
---@return panto.JobResult?
function Agent:run(options) end

--- Makes an agent. It does nothing until it runs. An extension with an `extension.toml` needs the right `run` for it.
---@param options panto.AgentOptions
---@return panto.Agent
function panto.agent(options) end

--- What `panto.Message` is to hooks, with its texts alone.
---@class panto.ConversationMessage
---@field role "system"|"user"|"assistant"|"unknown" unknown: its record is damaged
---@field blocks { type: string, text?: string }[]

---@class panto.Conversation
local Conversation = {}

--- Copies, without metadata.
---@return panto.ConversationMessage[]
function Conversation:messages() end

--- What was stored with message `i`; nil where nothing was. Raises when its record cannot be read.
---@param i integer|string
---@return table?
function Conversation:message_metadata(i) end

--- It is written with the next prompt.
---@param text string
---@param options? { metadata?: table }
function Conversation:add_system_message(text, options) end

---@class panto.Stored
---@field id string
---@field message_count integer
---@field api_style string
---@field model? string
---@field name? string
---@field path string

---@class panto.Store
---@field dir? string
local Store = {}

--- Nil until an answer is in it.
---@param id string
---@return panto.Stored?
function Store:resolve(id) end

---@param id string
---@return panto.Conversation?
function Store:load(id) end

--- All that can be resumed, latest activity first.
---@return panto.Stored[]
function Store:list() end

--- Conversations as session files in a folder, which is made when it is needed.
---@param options { dir: string }|string
---@return panto.Store
function panto.file_system_jsonl_store(options) end

--- Keeps nothing.
---@return panto.Store
function panto.null_store() end

---@alias panto.JobEvent
---| { type: "text"|"thinking", text: string }
---| { type: "tool_start", call_id: string, name: string, input: table, title: string }
---| { type: "tool_update", call_id: string, text?: string, replace: boolean, title?: string }
---| { type: "tool_end", call_id: string, name: string, title: string, is_error: boolean, text: string, took_ms: integer }
---| { type: "usage", usage: panto.Usage, total: panto.Usage }
---| { type: "status", status: "running"|"retrying"|"compacting"|"waiting"|"completed"|"limit"|"failed"|"cancelled", text?: string }
---| { type: "question", approval_id: string, tool_name: string, reason: string }

---@class panto.JobResult
---@field status "completed"|"limit"|"failed"|"cancelled"
---@field text? string the last answer's words
---@field error? string where the status is not `completed`
---@field tool_calls? { id: string, name: string, input: string }[] with `dispatch_tools = false`; the input is JSON
---@field session_id? string
---@field usage panto.Usage
---@field turns integer answers of the model
---@field seconds number from when it ran

--- A piece of work. One that nobody holds any more is closed. `local job <close> = …` closes it at the end of the block.
---@class panto.Job
---@field id string
local Job = {}

--- The oldest event that was not read. Never waits. What nobody reads is bounded: of 4 MiB words go before facts; once the
--- job is settled no more than 64 KiB stay, and its result tells the rest.
---@return panto.JobEvent?
function Job:next_event() end

--- Waits for the next event; nil when there will be none.
---@return panto.JobEvent?
function Job:await_event() end

--- Nil until it is settled; then the same table each time; nil after `close`.
---@return panto.JobResult?
function Job:result() end

--- Waits for the result; `nil, "timeout"` after `timeout` seconds.
---@param timeout? number
---@return panto.JobResult?
---@return "timeout"?
function Job:await(timeout) end

--- Settles it as cancelled, unless it is settled, and ends what it does.
function Job:request_cancel() end

--- The same.
function Job:cancel() end

--- Ends it and lets go of its events and result.
function Job:close() end

---@return panto.JobInfo
function Job:info() end

--- Says something to an agent while it runs: it reaches the model with its next request. False when it is over.
---@param text string
---@return boolean
function Job:steer(text) end

--- Cancels one of its calls, if it runs; it goes on with the result that says so.
---@param call_id string as its events tell it
function Job:cancel_call(call_id) end

--- Lets it run on when the call that started it ends, and when nobody holds it.
---@return panto.Job self
function Job:detach() end

---@class panto.JobInfo
---@field id string
---@field kind "agent"|"task"
---@field name string
---@field state "queued"|"running"|"waiting"|"completed"|"limit"|"failed"|"cancelled"
---@field progress? string
---@field parent? string the job that started it
---@field session_id? string
---@field model? string
---@field usage panto.Usage
---@field started_at string RFC 3339
---@field ended_at? string
---@field error? string

--- The primary.
---@type panto.Agent
panto.ext.agent = nil

--- Chooses a model for an agent: `nil, problem` when there is none of that name.
---@param options { model: string, reasoning?: string, tool_choice?: "auto"|"none"|"required"|string|table }
---@return panto.ModelConfig? config
---@return string? problem
function panto.ext.resolve_model(options) end

---@class panto.ModelOverview
---@field model string the session's
---@field reasoning string
---@field providers { name: string, style: string, models: integer, missing?: string }[]

---@class panto.Model
---@field ref string `provider:model`
---@field name string
---@field context integer tokens
---@field output integer tokens
---@field input string[]
---@field thinking string[]
---@field price? { input: number, output: number } USD per million tokens
---@field authenticated boolean
---@field missing? string what is missing before it can be asked

--- The providers; with a query the models whose name has all of its words.
---@param query? string
---@return panto.ModelOverview|panto.Model[]
function panto.ext.models(query) end

--- All jobs, oldest first; those that are over stay for a while.
---@return panto.JobInfo[]
function panto.ext.jobs() end

--- What `run` of a job gets.
---@class panto.Work
local Work = {}

--- Says in a line what is being done.
---@param text string
function Work:progress(text) end

---@return boolean
function Work:cancelled() end

--- Runs something in the background, listed as a job until it returns; the extension's end ends it.
---@param options { title: string, run: fun(work: panto.Work): any }
---@return panto.Job
function panto.ext.spawn_job(options) end
