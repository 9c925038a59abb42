---@meta

--- Commands. Each runs in a session of its own, without a terminal, with standard input from /dev/null, and without the
--- keys and tokens of panto's environment. What `run` starts is killed, with all
--- that comes of it, when the call or task that runs it ends.
---@class panto.process
panto.process = {}

---@class panto.process.Command
---@field cmd? string a command line for the shell; either this or `argv`
---@field argv? string[] a program and its arguments
---@field shell? string another shell for `cmd`
---@field cwd? string
---@field env? table<string, string|number|false> on top of panto's; false takes a variable away
---@field sandbox? panto.sandbox.Policy what the operating system holds the command in; an error where that cannot be

--- What `run` takes, too.
---@class panto.process.Options: panto.process.Command
---@field stdin? string
---@field timeout? number seconds
---@field merge? boolean standard error into standard output, in exact order
---@field max_output? integer bytes that are kept of each stream, half from its beginning and half from its end; 1 MiB
---@field max_lines? integer lines, likewise
---@field on_output? fun(chunk: string) hears of output while it comes, at most every 50 ms, and of a flood only the end; may wait

---@class panto.process.Result
---@field code? integer exit code; nil if a signal ended it
---@field signal? integer
---@field signal_name? string `SIGKILL`
---@field stdout string
---@field stderr string empty with `merge`
---@field output string both, in the order of arrival
---@field bytes integer of all the output
---@field lines integer of all the output
---@field truncated boolean `output` lacks its middle
---@field spill? string the file with all of it, if it was truncated or goes on
---@field spill_full boolean that file is at its limit of 1 GiB
---@field timed_out boolean
---@field background? integer the process group of processes that go on in the background, until panto ends
---@field sandbox? panto.process.Sandboxed of a command with a sandbox

---@class panto.process.Sandboxed
---@field changes panto.sandbox.Change[] protected places that the command has changed, as far as that could not be prevented; those of what earlier ones left in the background among them
---@field refused boolean it failed, and by its output because of the sandbox
---@field refusal? string the line that says so

--- Runs a command to its end. It has ended when the process itself has, even if others hold its pipes.
---@param options panto.process.Options
---@return panto.process.Result
function panto.process.run(options) end

--- Whether a process (or, with a negative number, a process group) was started by `run`, `detach` or `spawn` of this
--- program, or by what was.
---@param number integer
---@return boolean
function panto.process.own(number) end

--- The name of the shell that reads `cmd` where no other is named: `bash`.
---@return string
function panto.process.shell() end

---@class panto.process.DetachOptions: panto.process.Command
---@field stdin? string

--- Starts a command and leaves it to itself, until it or panto ends.
---@param options panto.process.DetachOptions
---@return { pid: integer, log: string } started its process id and the file that its output goes to
function panto.process.detach(options) end

---@class panto.process.SpawnOptions: panto.process.Command
---@field merge? boolean standard error into standard output, in exact order
---@field max_output? integer bytes of standard error that are kept; 1 MiB
---@field max_lines? integer lines, likewise

--- Starts a long-lived command to talk with. It is killed with all it has started when the call that started it ends, or
--- without a call, when the extension does; also when it goes out of scope as a `<close>` variable, and some time after
--- nobody holds it any more.
---@param options panto.process.SpawnOptions
---@return panto.process.Live
function panto.process.spawn(options) end

---@class panto.process.Live
---@field pid integer
local Live = {}

---@param bytes string
function Live:write(bytes) end

--- Tells the command that there is no more to read.
function Live:close_stdin() end

--- The next line of standard output without its end; nil after the last, or with "timeout" after so many seconds.
---@param timeout? number
---@return string? line
---@return "timeout"? why
function Live:read_line(timeout) end

--- What came on standard error so far, its two ends.
---@return string
function Live:errors() end

--- Sends a signal to the command and all it has started; SIGTERM if none is named.
---@param signal? integer
function Live:kill(signal) end

--- Waits for its end.
---@return integer? code
---@return integer? signal
function Live:wait() end
