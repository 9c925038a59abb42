-- `@name` in what the user says asks for the agent of that name.
local profiles = require("panto.extensions.subagents.profiles")

--- The agents that a text names, in its order. What is a file of the project is a file.
local function named(text)
  local found, seen, by_name = {}, {}, nil
  for before, word in (" " .. text):gmatch("([%s(])@([%w][%w_.:-]*)") do
    by_name = by_name or profiles.all()
    local bare = word:gsub("[.:-]+$", "")
    local name = by_name[bare] and bare or bare:match("^agent%-(.+)$")
    if before and name and by_name[name] and not seen[name] and (name ~= bare or not panto.fs.stat(bare)) then
      seen[name] = true
      found[#found + 1] = name
    end
  end
  return found
end

--- The handler of `input`.
return function(event)
  if not event.text:find("@", 1, true) then
    return nil
  end
  local names = named(event.text)
  if #names == 0 then
    return nil
  end
  for i, name in ipairs(names) do
    names[i] = ("@%s is the agent %q"):format(name, name)
  end
  return ("%s\n\n(%s: the user wants it to do this. Run it with subagents.run.)"):format(event.text, table.concat(names, ", "))
end
