---@meta

--- Files and folders. Everything here waits without holding up other coroutines. Relative paths are below the working
--- directory of the running call; `~` is the home directory. Errors name the path and the reason.
---@class panto.fs
panto.fs = {}

---@class panto.fs.Entry
---@field name string its name; from `stat`, the whole path
---@field type "file"|"dir"|"symlink"|"fifo"|"socket"|"device"
---@field size integer bytes
---@field modified integer seconds since 1970
---@field mode integer permission bits
---@field links integer names that it has on its file system (hard links)
---@field target? string where a symlink points to

--- The bytes of a file, or `limit` of them from `offset` on; more than 256 MiB at once are an error. Only files are read,
--- and with `limit` /dev/zero and its like.
---@param path string
---@param options? { offset?: integer, limit?: integer, skip?: string[] } in bytes; a file in one of `skip` (as in `walk`) is an error
---@return string
function panto.fs.read(path, options) end

---@class panto.fs.Page
---@field lines string[] without their ends
---@field cut table<integer, integer> bytes that a line lost, by its place in `lines`
---@field more boolean the file goes on
---@field total? integer lines of the file, unless it is very long

--- Lines of a text file, without reading what lies before or after into memory.
---@param path string
---@param options? { offset?: integer, limit?: integer, max_bytes?: integer, max_line?: integer, skip?: string[] } first line (from 1), number of lines (2000), bytes in all (1 MiB), bytes of a line (64 KiB); `skip` as in `read`
---@return panto.fs.Page
function panto.fs.lines(path, options) end

--- Writes a file, making its folders. It is replaced as a whole; a symlink is followed, and its mode stays.
---@param path string
---@param bytes string
---@param options? { mode?: integer } permission bits
---@return boolean created whether it is new
function panto.fs.write(path, bytes, options) end

---@param path string
---@param bytes string
function panto.fs.append(path, bytes) end

--- What is at a path; nil if nothing is.
---@param path string
---@param options? { link?: boolean } describe a symlink itself, not what it points to
---@return panto.fs.Entry?
function panto.fs.stat(path, options) end

--- What a folder holds, by name.
---@param path string
---@return panto.fs.Entry[]
function panto.fs.list(path) end

---@class panto.fs.Found
---@field path string below the root of the walk
---@field type "file"|"dir"
---@field depth integer 1 for what is directly in the root
---@field symlink boolean
---@field size? integer with `sizes`

---@class panto.fs.Walk
---@field glob? string|string[] patterns; with a slash against the path below the root, else against the name; `!` excludes
---@field type? string a file type as ripgrep knows it: rust, py, …
---@field ignored? boolean also what ignore files name, and .git
---@field no_hidden? boolean leave out names that begin with a dot
---@field depth? integer
---@field follow? boolean go into linked folders
---@field dirs? boolean folders, too
---@field sizes? boolean
---@field skip? string[] absolute paths without links: what is there or below is left out
---@field max? integer 100,000

--- Files below a folder in a fixed order, without what ignore files name.
---@param path string
---@param options? panto.fs.Walk
---@return panto.fs.Found[]
---@return boolean more there are more than `max`
function panto.fs.walk(path, options) end

--- Makes a folder and those above it.
---@param path string
function panto.fs.mkdir(path) end

--- Removes a file or an empty folder; with `recursive` a folder with all that is in it.
---@param path string
---@param options? { recursive?: boolean }
function panto.fs.remove(path, options) end

---@param from string
---@param to string
function panto.fs.rename(from, to) end

--- Copies a file, or a folder with all that is in it.
---@param from string
---@param to string
function panto.fs.copy(from, to) end

--- The absolute path without symlinks. With `missing` also of what isn't there: where a write to the path would lead.
---@param path string
---@param options? { missing?: boolean }
---@return string
function panto.fs.realpath(path, options) end

--- Makes a fresh empty file in the system's folder for such. Remove it when it has served.
---@param prefix? string
---@param suffix? string
---@return string path
function panto.fs.tempfile(prefix, suffix) end

---@class panto.fs.Change
---@field path string
---@field kind "created"|"modified"|"removed"

---@class panto.fs.Changes
---@field [integer] panto.fs.Change in the order of their paths, each path once
---@field lost? boolean there were too many: look at everything

---@class panto.fs.WatchOptions
---@field recursive? boolean a folder with all below it; true
---@field ignored? boolean also what ignore files name, and .git; false
---@field debounce? number seconds of quiet before changes are told; 0.1
---@field on_change? fun(changes: panto.fs.Changes) called in a task of the watch's own; an error in it ends the watch

--- What is watched, until it is closed. `for changes in watch do` waits for each.
---@class panto.Watch
local Watch = {}

--- The next changes when they have settled; nil when it is closed, or with "timeout" when none came in so many seconds.
---@param timeout? number seconds
---@return panto.fs.Changes?
---@return "timeout"?
function Watch:next(timeout) end

function Watch:close() end

--- Watches a file or a folder, without what ignore files name below it. It ends with the call or the extension that watches.
---@param path string
---@param options? panto.fs.WatchOptions
---@return panto.Watch
function panto.fs.watch(path, options) end
