---@meta

--- Requests over HTTP, through the proxies of the environment and with the certificates of the system. When the call or
--- task that waits ends, its connection is closed. Errors name the address without user, password and query; an answer
--- with an error status is no error.
---@class panto.http
panto.http = {}

---@class panto.http.Options
---@field url string
---@field method? string GET, or POST when there is a body
---@field headers? table<string, string>
---@field query? table<string, string> put behind the address
---@field body? string bytes; either this or `json`
---@field json? any sent as JSON, with its content type
---@field timeout? number seconds for all of it; 60 for a request, none for a stream
---@field idle_timeout? number seconds without a byte; `network.idle_timeout`
---@field max_bytes? integer a longer answer is an error; 16 MiB for a request, no limit for a stream
---@field redirects? boolean follow them (up to 10, never from https to http); true. Keys don't follow to another host

---@class panto.http.Answer
---@field status integer
---@field headers table<string, string> by lower-case name; what comes several times is joined by `, `
---@field url string where it came from, after redirects
---@field body? string of a request
---@field bytes? integer of a stream: how much came

--- Asks and waits for the whole answer.
---@param options panto.http.Options
---@return panto.http.Answer
function panto.http.request(options) end

---@class panto.http.StreamOptions: panto.http.Options
---@field on_chunk fun(chunk: string, answer: panto.http.Answer): boolean? gets the body as it comes and may wait; false ends it

--- Asks, and hands on the body piece by piece. Pieces are bytes as they arrive and end anywhere.
---@param options panto.http.StreamOptions
---@return panto.http.Answer
function panto.http.stream(options) end
