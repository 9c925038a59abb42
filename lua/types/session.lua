---@meta

--- The open session. All functions wait for the program, so they work in commands, tools, hooks and tasks, and speak of
--- the session that is open when the answer comes. What the session refuses is raised as `panto.ext.session.NAME: CODE:
--- reason`; the code is `busy` while a turn (or a compaction) is in the way.
--- An extension with an `extension.toml` needs the right `run` (whatever tools can do) for all but `name`, `thinking`,
--- `abort`, `model()` and `mode()`, which tell the model and the mode; choosing one needs it.
---@class panto.ext.session
panto.ext.session = {}

--- A line of the session's file: `message` {message}, `model_change` {model}, `thinking_change` {level}, `session_info`
--- {name?, labels?}, `compaction` {summary, first_kept_id?, tokens_before?}, `custom` {name, data}, and others.
---@class panto.Entry
---@field type string
---@field id string
---@field parent_id? string
---@field timestamp string
---@field message? panto.Message
---@field name? string
---@field data? any

--- The entries of the active branch, oldest first; with `named` only `custom` ones of these names.
---@param options? {named?: string[]}
---@return panto.Entry[]
function panto.ext.session.entries(options) end

--- Keeps state in the session. It comes back from `entries` as a `custom` entry, also when the session is resumed; no
--- model ever sees it. A session without a prompt leaves no file, and no state.
---@param type string whose it is: `myextension.notes`; names that begin with `panto.` are taken
---@param data any
---@return string id of the entry
function panto.ext.session.append(type, data) end

--- The session's name; with a text it gets that one.
---@param text? string
---@return string? name
function panto.ext.session.name(text) end

--- Goes on in a copy of the session, up to an entry or whole. `busy` during a turn.
--- Where a server has the session (`panto serve`, `panto rpc`) it stays the open one, for all who look at it: the copy is
--- another session of the server, written at once, that they find under /resume and in the list. Its own code hears
--- `session_start` and `session_fork`; here nothing is heard. A copy that nobody has attached to yet cannot be forked.
---@param options? {entry_id?: string, name?: string}
---@return string session_id of the copy
function panto.ext.session.fork(options) end

--- Says something to the model, as the user would. `prompt` (the default) begins a turn and is `busy` during one; `steer`
--- reaches the model before its next request, `follow_up` begins a turn after this one; without a turn both are prompts.
--- Two ways lie beside the user's queue, which Esc and Alt-Up give back: `when_idle` begins a turn as soon as nothing is
--- under way, after what the user has queued (and not right after Esc has ended a turn), `with_next` goes with the turn
--- that begins next; both wait until a turn has taken the text, and raise when this session is left or closed before.
---@param text string
---@param options? {as?: "prompt"|"steer"|"follow_up"|"when_idle"|"with_next", session_id?: string} session_id: the session that it is for; raised as `not_found` when another is open
function panto.ext.session.send(text, options) end

--- Puts a summary in the place of what is old, and waits for it.
---@param options? {focus?: string}
---@return string done what was done, in words
function panto.ext.session.compact(options) end

--- The model, `provider:model`; with a name it is changed first. `busy` during a turn.
---@param model? string
---@return string
function panto.ext.session.model(model) end

--- The level of thinking; with a level it is changed first. `busy` during a turn.
---@param level? "off"|"minimal"|"low"|"medium"|"high"|"xhigh"|"max"
---@return string
function panto.ext.session.thinking(level) end

--- What runs without asking; with a mode it is changed first, for the next call.
---@param mode? "plan"|"ask"|"workspace"|"auto"
---@return "plan"|"ask"|"workspace"|"auto"
function panto.ext.session.mode(mode) end

--- The tools that turns of this session are offered; with a list no others, from the next turn on.
---@param names? string[]
---@return string[]
function panto.ext.session.active_tools(names) end

--- Stops what is under way, as Esc does.
---@return string[] texts that waited for their turn; they are gone
function panto.ext.session.abort() end
