-- How plan mode looks at the words of a command.
local words = {}

function words.set(text)
  local found = {}
  for word in text:gmatch("%S+") do
    found[word] = true
  end
  return found
end

--- Whether a word can't turn out to be an option: it is known, or a pattern of files whose beginning is.
function words.safe(part, i)
  local word = part.words[i]
  return not part.dynamic[i] or word:find("^[%w_./]") ~= nil and not word:find("[$`<>{]")
end

--- Whether no word from `first` on is, or could be, one of these.
function words.none(part, first, patterns)
  for i = first, #part.words do
    if not words.safe(part, i) then
      return false
    end
    for _, pattern in ipairs(patterns) do
      if part.words[i]:find(pattern) then
        return false
      end
    end
  end
  return true
end

return words
