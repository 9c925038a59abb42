//! An extension whose tool `kids` starts agents side by side, each with a file beside the session's.

/// `kids {names = {"A", "B"}, background?}`: the agent `kid A` is told `do A`, and has the primary's tools but this one.
pub const KIDS: &str = r#"
local ext = panto.ext

local function folder(call)
    local pattern = os.getenv("XDG_DATA_HOME") .. "/panto/sessions/*/*_" .. call.session_id .. ".jsonl"
    local file = io.popen("ls -d " .. pattern)
    local path = file:read("l")
    file:close()
    return (path:gsub("%.jsonl$", ""))
end

local function tools()
    local list = {}
    for _, tool in ipairs(ext.agent:tools()) do
        if tool.name ~= "kids" then list[#list + 1] = tool end
    end
    return list
end

panto.register_tool{ name = "kids", description = "starts agents", schema = { type = "object" }, readonly = true, handler = function(input, call)
    local store, jobs, out = panto.file_system_jsonl_store{ dir = folder(call) }, {}, {}
    for i, name in ipairs(input.names) do
        local config = assert(ext.resolve_model{ model = "env:kid" })
        local agent = panto.agent{ config = config, store = store, system = "You are a kid." }
        agent:set_tools(tools())
        jobs[i] = assert(agent:run_async{ prompt = "do " .. name, name = "kid " .. name })
        if input.background then jobs[i]:detach() end
    end
    if input.background then return "started" end
    for i, job in ipairs(jobs) do
        local result = job:await()
        out[i] = result.status .. ": " .. (result.text or result.error or "")
    end
    return table.concat(out, "\n")
end }
"#;
