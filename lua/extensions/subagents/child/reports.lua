-- Results of children that ran in the background and are over, until they run again.
local reports = {}

local KEPT = 100

local done, order = {}, {} -- by session id

function reports.keep(id, result)
  done[id] = result
  order[#order + 1] = id
  if #order > KEPT then
    done[table.remove(order, 1)] = nil
  end
end

function reports.of(id)
  return done[id]
end

--- What it said before is no longer its last word.
function reports.forget(id)
  done[id] = nil
  for i, one in ipairs(order) do
    if one == id then
      return table.remove(order, i)
    end
  end
end

return reports
