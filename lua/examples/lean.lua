-- A context hook: of tool results that are more than ten messages old, the model sees no more than the beginning.
local RECENT, MOST = 10, 2000

panto.ext.on("context", function(event)
    local messages = event.messages
    for i = 1, #messages - RECENT do
        for _, block in ipairs(messages[i].blocks) do
            if block.type == "tool_result" then
                for _, part in ipairs(block.content) do
                    if part.type == "text" and #part.text > MOST then
                        part.text = panto.text.clean(part.text:sub(1, MOST)) .. "\n[… the rest of this old result is left out]"
                    end
                end
            end
        end
    end
    return messages
end)
