-- `table.move`, `insert` and `remove` for code that nobody trusts: the work of the originals grows with numbers that the
-- code makes up (a range, the length of a table with holes), in one instruction that no clock can end. Long work is done
-- by loops here.
local move, insert, remove = table.move, table.insert, table.remove
local type, select, error, tointeger = type, select, error, math.tointeger

local SHORT = 100000 -- a millisecond

local function is_long(from, to)
  from, to = tointeger(from), tointeger(to)
  return from ~= nil and to ~= nil and to >= from and math.ult(SHORT, to - from)
end

local tables = {}

function tables.move(from, first, last, to, into)
  if type(from) ~= "table" or not is_long(first, last) or not tointeger(to) then
    return move(from, first, last, to, into or from)
  end
  into = into or from
  if last - first >= math.maxinteger - to then
    error("table.move: too many elements", 2)
  end
  if to > last or to <= first or into ~= from then
    for i = 0, last - first do
      into[to + i] = from[first + i]
    end
  else
    for i = last - first, 0, -1 do
      into[to + i] = from[first + i]
    end
  end
  return into
end

function tables.insert(list, ...)
  local place, value = ...
  if select("#", ...) ~= 2 or type(list) ~= "table" or not is_long(place, #list) then
    return insert(list, ...)
  end
  if place < 1 then
    error("table.insert: position out of bounds", 2)
  end
  for i = #list + 1, place + 1, -1 do
    list[i] = list[i - 1]
  end
  list[place] = value
end

function tables.remove(list, ...)
  local place = ...
  if type(list) ~= "table" or not is_long(place, #list) then
    return remove(list, ...)
  end
  if place < 1 then
    error("table.remove: position out of bounds", 2)
  end
  local removed, size = list[place], #list
  for i = place, size - 1 do
    list[i] = list[i + 1]
  end
  list[size] = nil
  return removed
end

return tables
