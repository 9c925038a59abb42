-- Results in words, for the model. Each child has its share of what a result may hold; the whole of a longer one lies in a
-- file.
local tool = require("panto.tool")

local report = {}

--- The status of a child that runs on.
report.BEGUN = "running in the background"

local LEAST = 2000 -- bytes for a child, however many there are

local function utf8_floor(text, at)
  while at > 0 and (text:byte(at + 1) or 0) & 0xC0 == 0x80 do
    at = at - 1
  end
  return at
end

--- A text within so many bytes: its beginning and its end, and where the whole is.
local function shortened(text, most)
  if #text <= most then
    return text
  end
  local path = panto.fs.tempfile("panto-agent-", ".md")
  panto.fs.write(path, text, { mode = 384 }) -- 0600
  local head = utf8_floor(text, most * 2 // 3)
  local tail = #text - most // 3
  while tail < #text and text:byte(tail + 1) & 0xC0 == 0x80 do
    tail = tail + 1
  end
  local cut = ("\n[… %s left out; the whole is in %s]\n"):format(tool.size(tail - head), path)
  return text:sub(1, head) .. cut .. text:sub(tail + 1), path
end

local function heading(result)
  local parts = {}
  parts[#parts + 1] = result.agent and "agent: " .. result.agent or nil
  parts[#parts + 1] = "status: " .. result.status
  if result.id then
    parts[#parts + 1] = ("session: %s (%s)"):format(result.id, result.resumable and "resumable" or "not resumable")
  end
  return table.concat(parts, " · ")
end

--- One result; `most` bytes of its output.
function report.one(result, most)
  local text = heading(result)
  if result.error then
    text = text .. "\nerror: " .. panto.text.truncate(panto.text.clean(result.error), 2000)
  end
  local output, path = shortened(result.output or "", most)
  if output:match("%S") then
    text = text .. "\n\n" .. output
  elseif not result.error then
    text = text .. "\n\n(it ended without a word)"
  end
  return text, path
end

--- All results, in their order.
function report.all(results)
  local bytes = tool.limits()
  local share = math.max(LEAST, bytes // #results - 300)
  if #results == 1 then
    return (report.one(results[1], share))
  end
  local texts = {}
  for i, result in ipairs(results) do
    texts[i] = ("## %d. %s\n%s"):format(i, result.label, (report.one(result, share)))
  end
  return table.concat(texts, "\n\n")
end

--- The title of a call whose children have only begun; nil for others.
local function begun(results)
  for _, result in ipairs(results) do
    if result.status ~= report.BEGUN then
      return nil
    end
  end
  return #results == 1 and "Started the agent " .. results[1].label or ("Started %d agents"):format(#results)
end

--- A tool's result: an error where nothing came of any.
function report.result(results)
  local failed = 0
  for _, result in ipairs(results) do
    -- One that has only begun, or ended before, has not failed.
    failed = failed + (result.error and 1 or 0)
  end
  local text = report.all(results)
  return failed == #results and tool.failed(text) or tool.done(text, { title = begun(results) })
end

return report
