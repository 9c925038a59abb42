---@meta

--- What extensions are written against; `require("panto")` gives the same table. Handlers, commands, hooks and the main
--- chunks of extensions are coroutines: they may wait for everything here.
---
--- `os.execute` and `io.popen` are Lua's own: until the command has ended, or a read of its pipe has, nothing else in Lua
--- runs, and Esc can't end it. Run commands by `panto.process`, which doesn't hold up anything. Both run without input and
--- without a terminal; what `os.execute` prints goes to the log, the errors of `io.popen` nowhere (`2>&1` reads them).
---@class panto
---@field null userdata JSON's null, where nothing (nil) would be a missing field
panto = {}

---@class panto.Words
---@field ask? string while it is asked for ("Read {path}?"); `{field}` takes a field of the input
---@field doing? string while it runs
---@field done? string afterwards

--- `text` {text} or `image` {mime, data}.
---@class panto.Part
---@field type "text"|"image"
---@field text? string
---@field mime? string
---@field data? string base64

---@class panto.Result
---@field content (string|panto.Part)[] for the model
---@field is_error? boolean
---@field details? table for the screen: `diff`, `path`, `exit_code`, `signal`, `spill`, `title`; with `ends_turn = true` the model is not asked for another answer after this result, unless the user has said something meanwhile
---@field display? any for the screen instead of the content

---@class panto.Tool
---@field name string up to 64 characters without spaces
---@field description string for the model
---@field schema table the JSON schema of the input; inputs are checked before the handler runs
---@field handler fun(input: table, call: panto.Call): string|table|panto.Result|nil
---@field words? panto.Words what a call is called; `{field}` stands for a field of the input, of a list for its length. Of several lines the first counts whose fields the input has
---@field aliases? table<string, string> other names of input fields
---@field readonly? boolean changes nothing
---@field sequential? boolean never runs beside other calls
---@field timeout? number seconds
---@field last_words? boolean when a call is cancelled, what its handler has started ends (agents settle as cancelled) and the handler itself goes on for 0.2 s: what it returns by then follows "cancelled by the user" as the result
---@field max_output? integer bytes to the model
---@field max_memory? integer bytes that a call, with its tasks, may add to the memory of Lua

--- What a call is held to, as an `approval` handler has set it. A tool that starts commands passes `sandbox` on to
--- `panto.process`, one that looks into folders leaves `read_deny` out.
---@class panto.Bounds
---@field sandbox? panto.sandbox.Policy
---@field read_deny? string[] absolute paths without links
---@field path? string where the edited file has to be, links followed

--- The second argument of a tool's handler.
---@class panto.Call
---@field id string
---@field cwd string
---@field session_id string
---@field bounds? panto.Bounds what the permissions hold it to; for the tool to heed
local Call = {}

--- Replaces the live output.
---@param text string
function Call:progress(text) end

--- Adds to the live output.
---@param chunk string
function Call:append(chunk) end

--- Sets the title line while it runs.
---@param text string
function Call:title(text) end

--- Has `f` run when the call ends, however it does; the last one first.
---@param f fun()
function Call:defer(f) end

---@return boolean
function Call:cancelled() end

--- Calls another tool of the session, as if the model had called it: its schema, hooks, approvals and limits hold, and it
--- shows as a line below this call. What goes wrong is in the result. An extension with an `extension.toml` needs the right
--- `run` for it.
---@param name string
---@param input? table
---@return { text: string, is_error: boolean, details?: table }
function Call:tool(name, input) end

--- The tools of the session that this call belongs to.
---@return { name: string, description: string, schema: table }[]
function Call:tools() end

--- Registers a tool. Raises BadRegistration, naming the field, and DuplicateTool.
---@param tool panto.Tool
function panto.register_tool(tool) end

---@class panto.Command
---@field name string without the slash
---@field description string
---@field handler fun(args: string, ctx: { cwd: string, session_id?: string })
---@field complete? fun(prefix: string): (string|panto.Completion)[] what the arguments may be, once a blank stands behind the name; what is typed filters them

---@class panto.Completion
---@field value string takes the place of the arguments
---@field description? string

--- Registers a slash command. Raises BadRegistration and DuplicateCommand; the names of built-in commands are taken.
---@param command panto.Command
function panto.register_command(command) end
