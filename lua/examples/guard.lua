-- Keeps the model off a few things: blocks pushes by force, and asks before anything in `migrations/` is edited.
panto.ext.on("tool_call", function(event)
    local command = event.name == "std.shell" and event.input.command or ""
    if command:find("git%s+push.*%-%-force") then
        return { block = true, reason = "pushing by force is left to people" }
    end
end)

panto.ext.on("approval", function(event)
    local path = tostring(event.input.path or "")
    if (event.name == "std.edit" or event.name == "std.write") and path:find("migrations/", 1, true) then
        return { ask = "it changes a migration", rule = event.name .. "(" .. path .. ")" }
    end
end)
