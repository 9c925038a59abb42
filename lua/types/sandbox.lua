---@meta

--- The operating system's sandbox for commands: `panto.process.run{…, sandbox = panto.sandbox.policy{}}`.
---@class panto.sandbox
panto.sandbox = {}

--- What a command may do. All paths are absolute; devices like /dev/null are always writable.
---@class panto.sandbox.Policy
---@field workspace string the folder that the command works in; writable
---@field write? string[] what else is writable, as far as it exists
---@field read_deny? string[] what cannot be read
---@field protect? string[] places inside of writable ones that are not writable, whether they exist yet or not
---@field git_config? string[] settings of git: writable, but a key that starts a program counts as a change of a protected place
---@field sockets? string[] sockets, or folders of them, that cannot be reached
---@field network? boolean true

---@class panto.sandbox.Support
---@field available boolean
---@field summary string a line that says what holds
---@field why? string why there is none, or why it is a weaker one
---@field landlock integer version of Linux's Landlock; 0 without it
---@field namespaces "none"|"mount"|"user" with "none", changes of protected places are noticed and not prevented
---@field network "none"|"tcp"|"namespace"|"all" how far `network = false` holds

--- What a sandbox holds on this system. Tried out the first time, known from then on.
---@return panto.sandbox.Support
function panto.sandbox.support() end

---@class panto.sandbox.PolicyOptions
---@field cwd? string the workspace; the working directory
---@field write? string[] writable, besides the temp folder, usual caches and `permissions.write` of the settings
---@field read_deny? string[] unreadable, besides usual credentials and `permissions.read_deny` of the settings
---@field network? boolean false takes the network away, as `permissions.network` of the settings does

--- The usual policy of a folder as it is now: made anew for each command.
---@param options? panto.sandbox.PolicyOptions
---@return panto.sandbox.Policy
function panto.sandbox.policy(options) end

--- Whether a policy lets a path be read or written, wherever links lead. For tools that read and write by themselves.
---@param policy panto.sandbox.Policy
---@param what "read"|"write"
---@param path string
---@return boolean
function panto.sandbox.allows(policy, what, path) end

--- A change of a protected place.
---@class panto.sandbox.Change
---@field id integer
---@field path string
---@field what "created"|"changed"|"removed"
---@field late? boolean something did it that an earlier command has left in the background
---@field diff? string of a text; of a new folder, the names in it

--- Makes a protected place as it was before the command, once. An error says why that cannot be.
---@param change panto.sandbox.Change
function panto.sandbox.undo(change) end
