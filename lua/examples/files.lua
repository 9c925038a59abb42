-- A widget above the editor: the files that the model has changed in this session.
local changed, order = {}, {}

local function show()
    if #order == 0 then return panto.ext.ui.widget("files", nil) end
    local spans = {}
    for _, path in ipairs(order) do
        spans[#spans + 1] = { text = panto.path.relative(path) .. (" ×%d  "):format(changed[path]), role = "dim" }
    end
    panto.ext.ui.widget("files", { type = "line", spans = spans }, { pane = "above", height = 1 })
end

panto.ext.on("tool_end", function(event)
    local path = event.input.path
    if event.is_error or not path or (event.name ~= "std.edit" and event.name ~= "std.write") then return end
    if not changed[path] then order[#order + 1] = path end
    changed[path] = (changed[path] or 0) + 1
    show()
end)

panto.ext.on("session_start", function()
    changed, order = {}, {}
    show()
end)
