-- A status item: the branch, and how many files differ from the last commit. Looked up anew after each turn.
local function show()
    local result = panto.process.run { argv = { "git", "status", "--porcelain", "--branch" }, timeout = 5 }
    if result.code ~= 0 then return panto.ext.ui.status("branch", nil) end
    local branch = result.stdout:match("^## ([^%s.]+)") or "?"
    local _, lines = result.stdout:gsub("\n", "\n")
    local changed = lines - 1
    panto.ext.ui.status("branch", changed > 0 and ("%s +%d"):format(branch, changed) or branch)
end

panto.ext.on("session_start", show)
panto.ext.on("reload", show) -- this code has taken the place of older code; the session was open before
panto.ext.on("turn_end", show)
