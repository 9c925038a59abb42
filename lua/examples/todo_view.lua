-- A renderer: shows what the tool of todo.lua returns as a list with marks instead of text.
panto.ext.register_renderer {
    tool = "todo",
    render = function(call)
        local items = {}
        for mark, text in call.text:gmatch("%[(.)%] %d+%. ([^\n]*)") do
            local done = mark == "x"
            items[#items + 1] = { { text = done and "✓ " or "○ ", role = done and "success" or "dim" }, { text = text } }
        end
        return { type = "list", items = items }
    end,
}
