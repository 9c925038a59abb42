-- A command whose argument is completed: /log BRANCH shows the last commits of a branch.
local function branches(prefix)
    local result = panto.process.run { argv = { "git", "for-each-ref", "--format=%(refname:short)", "refs/heads" } }
    local found = {}
    for name in result.stdout:gmatch("[^\n]+") do
        if name:sub(1, #prefix) == prefix then found[#found + 1] = name end
    end
    return found
end

panto.register_command {
    name = "log",
    description = "Shows the last commits of a branch",
    complete = branches,
    handler = function(args)
        local branch = args:match("%S+") or "HEAD"
        local result = panto.process.run { argv = { "git", "log", "--oneline", "-n", "15", branch, "--" } }
        if result.code ~= 0 then error(result.stderr, 0) end
        panto.ext.ui.notify(result.stdout)
    end,
}
