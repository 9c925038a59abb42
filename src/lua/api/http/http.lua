-- `panto.http` on the host's half: what a stream calls back runs in the caller's own coroutine, so that it may wait
-- itself; however that ends, the connection ends with it.
local host = ...

local http = {}

http.request = host.request

--- Like `request`, but the body goes to `on_chunk` as it comes.
function http.stream(options)
  local on_chunk = type(options) == "table" and options.on_chunk
  if type(on_chunk) ~= "function" then
    error("panto.http.stream: `on_chunk` must be a function, got " .. type(on_chunk or nil), 2)
  end
  local ok, answer, opened = pcall(host.open, options)
  if not ok then
    error(answer, 2)
  end
  local body <close> = opened
  answer.bytes = 0
  while true do
    local got, chunk = pcall(host.chunk, body)
    if not got then
      error(chunk, 2)
    end
    if chunk == nil then
      return answer
    end
    answer.bytes = answer.bytes + #chunk
    if on_chunk(chunk, answer) == false then
      return answer
    end
  end
end

return http
