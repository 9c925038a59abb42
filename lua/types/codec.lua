---@meta

--- JSON. `panto.null` stands for null; an array that was decoded stays one, even when it is empty. Whole numbers beyond 64
--- bits become floats; bytes that are no UTF-8 are written as U+FFFD (see `panto.base64`).
---@class panto.json
panto.json = {}

--- Raises what can't be written, with its place.
---@param value any
---@return string
function panto.json.encode(value) end

--- Raises what is wrong.
---@param text string
---@return any
function panto.json.decode(text) end

--- Makes a table an array, also when it is empty.
---@param list? any[]
---@return any[]
function panto.json.array(list) end

---@class panto.toml
panto.toml = {}

--- Dates and times become strings. Raises what is wrong, with its line.
---@param text string
---@return table
function panto.toml.decode(text) end

---@param value table
---@return string
function panto.toml.encode(value) end

--- YAML 1.2, one document.
---@class panto.yaml
panto.yaml = {}

--- Aliases are followed, within bounds; null is `panto.null`. Raises what is wrong, with its line.
---@param text string
---@return any
function panto.yaml.decode(text) end

---@param value any
---@return string
function panto.yaml.encode(value) end

---@class panto.base64
panto.base64 = {}

---@param bytes string
---@param url? boolean the alphabet for addresses, without padding
---@return string
function panto.base64.encode(bytes, url) end

--- Takes both alphabets, padded or not.
---@param text string
---@return string
function panto.base64.decode(text) end

---@class panto.hash
panto.hash = {}

--- In hexadecimal.
---@param bytes string
---@return string
function panto.hash.sha256(bytes) end

--- In hexadecimal.
---@param bytes string
---@return string
function panto.hash.sha512(bytes) end

--- A fresh UUID of version 7.
---@return string
function panto.uuid() end

---@class panto.schema
panto.schema = {}

--- Checks a value against a JSON schema.
---@param schema table
---@param value any
---@return boolean ok
---@return string[]? problems path and reason of each violation
function panto.schema.check(schema, value) end
