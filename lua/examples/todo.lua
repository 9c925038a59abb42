-- A to-do list that the model keeps, and a command that shows it. Put it into <config>/panto/extensions.
local items = {}

local function shown()
    local lines = {}
    for i, item in ipairs(items) do lines[i] = ("%s %d. %s"):format(item.done and "[x]" or "[ ]", i, item.text) end
    return #lines > 0 and table.concat(lines, "\n") or "nothing to do"
end

panto.register_tool {
    name = "todo",
    description = "Keeps a list of things to do: add one, or mark one as done. Returns the whole list.",
    schema = {
        type = "object",
        properties = {
            add = { type = "string", description = "What to add" },
            done = { type = "integer", minimum = 1, description = "The number of what is done" },
        },
    },
    readonly = true,
    handler = function(input)
        if input.add then items[#items + 1] = { text = input.add } end
        if input.done then
            local item = items[input.done] or error("there is no number " .. input.done, 0)
            item.done = true
        end
        return shown()
    end,
}

panto.register_command {
    name = "todo",
    description = "Shows the to-do list",
    handler = function() panto.ext.ui.notify(shown()) end,
}
