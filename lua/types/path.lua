---@meta

--- Paths as text; nothing here looks at the disk.
---@class panto.path
panto.path = {}

--- Puts parts together; an absolute one begins anew.
---@param ... string
---@return string
function panto.path.join(...) end

---@param path string
---@return string
function panto.path.dirname(path) end

---@param path string
---@return string
function panto.path.basename(path) end

--- Without the dot.
---@param path string
---@return string?
function panto.path.extension(path) end

---@param path string
---@return boolean
function panto.path.is_absolute(path) end

--- Without `.` and `..`.
---@param path string
---@return string
function panto.path.normalize(path) end

--- From the working directory of the running call, with `~` put in.
---@param path string
---@return string
function panto.path.absolute(path) end

--- As seen from a folder (the working directory) if it is below it, else absolute.
---@param path string
---@param base? string
---@return string
function panto.path.relative(path, base) end
