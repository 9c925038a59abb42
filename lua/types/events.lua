---@meta

-- What the handlers of `panto.ext.on` are given and may return. Handlers are asked in the order of their subscription,
-- each as a coroutine that may wait. Events that only tell reach an extension one after the other, in the order in which
-- they happened; a handler that takes more than two seconds is no longer waited for. Handlers that may change something
-- hold up the turn until they have answered; Esc ends them. An error in `tool_call` or `approval` blocks the call;
-- elsewhere it is shown once and nothing is changed. Handlers that are added or taken away count from the next event on.

--- What all events of an agent have.
---@class panto.event.Base
---@field session_id? string
---@field agent? string `main`, or the id of the job that a child works for

--- A message as models get it, with canonical tool names.
---@class panto.Message
---@field role "system"|"user"|"assistant"
---@field blocks panto.Block[]
---@field usage? panto.Usage of the answer
---@field stop_reason? "stop"|"length"|"tool_use"|"error"|"aborted"
---@field status? "complete"|"error"|"aborted"
---@field model? string `provider:model` that wrote it
---@field extra? table fields that the provider wants back

--- `text` {text}, `thinking` {text, signature?, redacted?}, `tool_use` {id, name, input}, `tool_result` {tool_use_id,
--- content, is_error}, `image` {mime, data}.
---@class panto.Block
---@field type string
---@field text? string
---@field signature? string
---@field redacted? string
---@field id? string
---@field name? string
---@field input? table
---@field tool_use_id? string
---@field content? panto.Part[]
---@field is_error? boolean
---@field mime? string
---@field data? string base64

--- Tokens, and USD where the price is known. `input` does not count what came from or went into the cache.
---@class panto.Usage
---@field input integer
---@field output integer
---@field cache_read integer
---@field cache_write integer
---@field reasoning? integer
---@field cost? number

--- `startup`: extensions are loaded for the first time. `ready` (no fields) follows when the first session has been told.
---@class panto.event.Startup: panto.event.Base
---@field version string
---@field interactive boolean somebody is there to answer questions

--- `session_start`: a session is open.
---@class panto.event.SessionStart: panto.event.Base
---@field cwd string
---@field model string
---@field thinking string
---@field resumed boolean it has a transcript
---@field created_at string
---@field name? string

--- `session_end`: it is about to be closed.
---@class panto.event.SessionEnd: panto.event.Base
---@field reason "new"|"open"|"fork"|"quit"

--- `session_switch`: another session is open now; `session_start` came before.
---@class panto.event.SessionSwitch: panto.event.Base
---@field previous_session_id string
---@field reason "new"|"open"|"fork"

--- `session_fork`: it is a copy. `session_switch` came before where another session was open, else `session_start` (a run
--- with `--fork`, a fork on a server).
---@class panto.event.SessionFork: panto.event.Base
---@field parent_session_id string
---@field entry_id? string up to where it was copied; the whole without it

--- `session_branch`: the session goes on from another point of itself; it is the same session, and `session.entries()` are
--- those of the branch. State that an extension keeps in entries is to be read anew.
---@class panto.event.SessionBranch: panto.event.Base
---@field entry_id? string what comes next follows this entry; none: the beginning
---@field previous_entry_id? string the end of the branch that was left
---@field summary? string what the model is told of the branch left

--- `reload` (no fields): this code has taken the place of older code, or has come with a `/reload`; what ships with panto
--- hears of it with each `/reload`, and when the folder is trusted, since files that it reads may be others by then. The
--- session was open before: `session_start` does not come again. `shutdown` (no fields) is the last event; handlers have a
--- second or so.

--- `input`: the user has said something. Return the text to use instead, or `{handled = true}` and it goes no further.
--- What scripts send does not come here.
---@class panto.event.Input
---@field text string
---@field as "prompt"|"steer"|"follow_up"
---@field images integer how many pictures come with it

--- `turn_start`: a prompt begins a turn.
---@class panto.event.TurnStart: panto.event.Base
---@field text string

--- `turn_end`, `agent_end`: the session is idle again; one loop of an agent is over (`agent_start` has no fields of its
--- own). Children have agents, but no turns of the session.
---@class panto.event.End: panto.event.Base
---@field status "completed"|"failed"|"aborted"
---@field error? string
---@field stop_reason? string of the last answer
---@field usage? panto.Usage of the session so far (`turn_end`)

--- `system_prompt`: asked once a turn. Return the text to use instead.
---@class panto.event.SystemPrompt: panto.event.Base
---@field text string

--- `context`: asked before each request. Return the messages to send instead (the list, or the event with its
--- `messages` changed); the session keeps its own. Calls without a result and results without a call are mended.
---@class panto.event.Context: panto.event.Base
---@field messages panto.Message[]

--- `before_request`: return those of the fields that are to change; `extra` and `headers` are added to.
---@class panto.event.Request: panto.event.Base
---@field model string stays as it is
---@field max_tokens? integer
---@field thinking string
---@field tool_choice "auto"|"none"|"required"|{tool: string}
---@field extra table further fields of the body, in the words of the provider
---@field headers table<string, string>

--- `after_response`: a request is over. Without an answer only the first four fields are there.
---@class panto.event.Response: panto.event.Base, panto.Message
---@field id string of the message's entry
---@field model string
---@field took_ms integer
---@field error? string
---@field text? string

--- `message_start`: a message begins: of the user, of the model, or one with results. An attempt that is repeated begins
--- another message, with another id, and the first has no end.
---@class panto.event.MessageStart: panto.event.Base
---@field id string
---@field role string
---@field model? string

--- `message_end`: it is part of the session.
---@class panto.event.MessageEnd: panto.event.Base, panto.Message
---@field id string
---@field text string its text blocks, one after the other
---@field error? string why it is not whole

--- `tool_call`, `approval`: a call wants to run. Changed input is checked against the schema of the tool again. That of an
--- extension whose `extension.toml` doesn't ask for `run` is left out of account, with an error that is shown once.
--- One `approval` handler that denies decides; else one that answers `allow` spares the user what others would ask (an
--- extension with an `extension.toml` needs `run` for that), and what is asked is asked one after the other. `rule` is what
--- "always" would add to `granted`; a question whose rules are all in there, word for word, isn't put. `bounds` of several
--- handlers add up; of a field that two set the first counts, that of an extension without `run` last.
---@class panto.event.ToolCall: panto.event.Base
---@field call_id string
---@field name string
---@field input table
---@field cwd string
---@field mode "plan"|"ask"|"workspace"|"auto"
---@field readonly boolean the tool is declared so
---@field granted string[] rules that the user has agreed to, for this session or this project

---@class panto.event.Opinion
---@field deny? string why not; the model is told
---@field ask? string why the user is asked
---@field allow? true nobody need be asked
---@field rule? string|string[] with `ask`; the tool's name without it
---@field diff? string with `ask`: what it would change
---@field command? string with `ask`: what it would run
---@field bounds? panto.Bounds

--- `tool_start`: a call has arrived; whether it may run is asked next.
---@class panto.event.ToolStart: panto.event.Base
---@field call_id string
---@field name string
---@field input table
---@field title string

--- `tool_update`: one of `title`, `append` (more output), `replace` (the output anew).
---@class panto.event.ToolUpdate: panto.event.Base
---@field call_id string
---@field name string
---@field title? string
---@field append? string
---@field replace? string

--- `tool_end`: a call has ended, or was refused. Return the result to use instead: a text, or `{content = {parts…},
--- is_error?, details?}`. It is asked before long results are cut. Of calls that the user cancelled it is only told.
--- An extension whose `extension.toml` doesn't ask for `run` cannot change the result.
---@class panto.event.ToolEnd: panto.event.Base
---@field call_id string
---@field name string
---@field input table
---@field text string
---@field content panto.Part[]
---@field is_error boolean
---@field details? table for the screen
---@field took_ms integer

---@class panto.event.ModelChange: panto.event.Base
---@field model string
---@field previous string

---@class panto.event.ThinkingChange: panto.event.Base
---@field level string
---@field previous string

--- `mode_change`: what runs without asking has changed.
---@class panto.event.ModeChange: panto.event.Base
---@field mode "plan"|"ask"|"workspace"|"auto"
---@field previous "plan"|"ask"|"workspace"|"auto"

--- `compact_before`: by hand, or by a turn that comes near the end of the window (then without `focus`). Return
--- `{cancel = true, reason = …}`, or `{summary = …}` to use instead of the model's.
---@class panto.event.CompactBefore: panto.event.Base
---@field messages panto.Message[] what the summary takes the place of, each with `id` and `text`
---@field first_kept_id string
---@field tokens_before integer
---@field focus? string

---@class panto.event.CompactAfter: panto.event.Base
---@field id string of the entry
---@field summary string
---@field tokens_before integer
---@field tokens_after integer an estimate
---@field by "model"|"extension"

--- `cancel`: the user (or a script) stops something.
---@class panto.event.Cancel: panto.event.Base
---@field what "turn"|"tools"|"compaction"|"branch_summary"|"input"
---@field call_id? string with "tools": this call alone

--- `notice`: a line for the user. What its own handlers say is not told again.
---@class panto.event.Notice
---@field level "info"|"warning"|"error"
---@field text string

---@alias panto.Event
---| "startup" | "ready" | "shutdown" | "reload"
---| "session_start" | "session_end" | "session_switch" | "session_fork" | "session_branch"
---| "input" | "turn_start" | "turn_end" | "agent_start" | "agent_end"
---| "system_prompt" | "context" | "before_request" | "after_response" | "message_start" | "message_end"
---| "tool_call" | "approval" | "tool_start" | "tool_update" | "tool_end" | "model_change" | "thinking_change" | "mode_change"
---| "compact_before" | "compact_after" | "job_start" | "job_update" | "job_end" | "cancel" | "notice"

--- Subscribes to an event. Handlers are asked in the order of subscription, each as a coroutine.
---@overload fun(event: "startup", handler: fun(e: panto.event.Startup)): integer
---@overload fun(event: "session_start", handler: fun(e: panto.event.SessionStart)): integer
---@overload fun(event: "session_end", handler: fun(e: panto.event.SessionEnd)): integer
---@overload fun(event: "session_switch", handler: fun(e: panto.event.SessionSwitch)): integer
---@overload fun(event: "session_fork", handler: fun(e: panto.event.SessionFork)): integer
---@overload fun(event: "session_branch", handler: fun(e: panto.event.SessionBranch)): integer
---@overload fun(event: "input", handler: fun(e: panto.event.Input): string|{text: string}|{handled: true}|nil): integer
---@overload fun(event: "turn_start", handler: fun(e: panto.event.TurnStart)): integer
---@overload fun(event: "turn_end"|"agent_end", handler: fun(e: panto.event.End)): integer
---@overload fun(event: "system_prompt", handler: fun(e: panto.event.SystemPrompt): string|{text: string}|nil): integer
---@overload fun(event: "context", handler: fun(e: panto.event.Context): panto.Message[]|panto.event.Context|nil): integer
---@overload fun(event: "before_request", handler: fun(e: panto.event.Request): table|nil): integer
---@overload fun(event: "after_response", handler: fun(e: panto.event.Response)): integer
---@overload fun(event: "message_start", handler: fun(e: panto.event.MessageStart)): integer
---@overload fun(event: "message_end", handler: fun(e: panto.event.MessageEnd)): integer
---@overload fun(event: "tool_call", handler: fun(e: panto.event.ToolCall): table|{block: true, reason?: string}|nil): integer
---@overload fun(event: "approval", handler: fun(e: panto.event.ToolCall): "allow"|"deny"|"ask"|panto.event.Opinion|nil): integer
---@overload fun(event: "tool_start", handler: fun(e: panto.event.ToolStart)): integer
---@overload fun(event: "tool_update", handler: fun(e: panto.event.ToolUpdate)): integer
---@overload fun(event: "tool_end", handler: fun(e: panto.event.ToolEnd): string|{content: panto.Part[], is_error?: boolean, details?: table}|nil): integer
---@overload fun(event: "model_change", handler: fun(e: panto.event.ModelChange)): integer
---@overload fun(event: "thinking_change", handler: fun(e: panto.event.ThinkingChange)): integer
---@overload fun(event: "mode_change", handler: fun(e: panto.event.ModeChange)): integer
---@overload fun(event: "compact_before", handler: fun(e: panto.event.CompactBefore): {cancel: true, reason?: string}|{summary: string}|nil): integer
---@overload fun(event: "compact_after", handler: fun(e: panto.event.CompactAfter)): integer
---@overload fun(event: "cancel", handler: fun(e: panto.event.Cancel)): integer
---@overload fun(event: "notice", handler: fun(e: panto.event.Notice)): integer
---@param event panto.Event
---@param handler fun(event: table): any
---@return integer id for `off`
function panto.ext.on(event, handler) end

--- Ends a subscription; a handler that runs ends as usual.
---@param id integer
---@return boolean was whether there was one
function panto.ext.off(id) end
