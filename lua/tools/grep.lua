-- std.grep: lines of files that match.
local tool = require("panto.tool")

local USUAL = 100 -- matches
local MAX_TEXT = 300 -- bytes of a line

local function trimmed(text)
  if #text > MAX_TEXT then
    return panto.text.clean(text:sub(1, MAX_TEXT)) .. " […]"
  end
  return panto.text.clean(text)
end

--- The path as other tools take it.
local function shown(root, is_file, path)
  return panto.path.relative(is_file and root or panto.path.join(root, path))
end

--- The lines of a file: `12:` matches, `13-` is around one; `--` stands for a gap.
local function file_lines(out, file, name, context)
  out[#out + 1] = name
  local last
  for _, line in ipairs(file.lines) do
    if context and last and line.number > last + 1 then
      out[#out + 1] = "--"
    end
    last = line.number
    out[#out + 1] = ("%d%s%s"):format(line.number, line.match and ":" or "-", trimmed(line.text))
  end
end

local function render(answer, root, is_file, context)
  local bytes, lines = tool.limits()
  local out, size = {}, 0
  for i, file in ipairs(answer.files) do
    local from = #out + 1
    file_lines(out, file, shown(root, is_file, file.path), context)
    for j = from, #out do
      size = size + #out[j] + 1
      if size > bytes - 512 or j > lines then
        return table.concat(out, "\n", 1, j - 1), ("%d more files are left out"):format(#answer.files - i)
      end
    end
  end
  return table.concat(out, "\n")
end

local function summary(answer, cut)
  local text = ("%s in %s"):format(tool.count(answer.matches, "match", "matches"), tool.count(#answer.files, "file"))
  if answer.more then
    text = "the first " .. text .. "; there are more: narrow the search, or raise max_matches"
  end
  return ("[%s%s]"):format(text, cut and "; too much to show all of it: " .. cut or "")
end

local function handler(input, call)
  local root = panto.path.absolute(input.path or ".")
  local stat, problem = tool.try(panto.fs.stat, root)
  if not stat then
    return problem and tool.failed(problem) or tool.missing(root, call)
  end
  local answer, wrong = tool.try(panto.grep, {
    pattern = input.pattern, path = root, glob = input.glob, type = input.type, ignore_case = input.ignore_case,
    skip = call.bounds and call.bounds.read_deny,
    literal = input.literal, multiline = input.multiline, context = input.context and math.min(input.context, 50),
    max_matches = input.max_matches or USUAL,
  })
  if not answer then
    return tool.failed(wrong .. "\nTo search for it as plain text set literal.")
  elseif answer.matches == 0 then
    return tool.done(("No matches in %s (ignored and binary files are left out)."):format(tool.count(answer.searched, "file")))
  end
  local text, cut = render(answer, root, stat.type == "file", (input.context or 0) > 0)
  return tool.done(text .. "\n" .. summary(answer, cut), { matches = answer.matches, files = #answer.files })
end

return {
  name = "std.grep",
  description = "Searches files for a regular expression (ripgrep's dialect). Files that ignore files name, binary ones and .git are left "
    .. "out. The answer has a path, then its matching lines as NUMBER:TEXT, and lines of context as NUMBER-TEXT.",
  schema = {
    type = "object",
    properties = {
      pattern = { type = "string", minLength = 1, description = "The regular expression." },
      path = { type = "string", description = "A folder or a file; without it the working directory." },
      glob = { type = "string", description = "Only files that match, as `*.rs`, `src/**/*.{ts,tsx}`; with a leading ! only others." },
      type = { type = "string", description = "Only files of a type: rust, py, js, ts, go, c, cpp, java, md, …" },
      ignore_case = { type = "boolean", description = "Upper and lower case are the same." },
      context = { type = "integer", minimum = 0, description = "Lines around each match." },
      literal = { type = "boolean", description = "The pattern is plain text." },
      multiline = { type = "boolean", description = "A match may span lines; `.` matches line ends, too." },
      max_matches = { type = "integer", minimum = 1, description = "Matches to show at most; 100 without it." },
    },
    required = { "pattern" },
  },
  aliases = {
    regex = "pattern", query = "pattern", include = "glob", file_type = "type", fileType = "type", directory = "path",
    ignoreCase = "ignore_case", case_insensitive = "ignore_case", ["-i"] = "ignore_case", ["-C"] = "context",
    maxMatches = "max_matches", head_limit = "max_matches", limit = "max_matches",
  },
  words = { ask = "search for {pattern}", doing = "Searching for {pattern}", done = "Searched for {pattern}" },
  readonly = true,
  handler = handler,
}
