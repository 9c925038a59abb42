-- Agents, stores, conversations and jobs as scripts hold them. Errors whose words the contract fixes have no position.
local host, panto, ext = ...
local type, error, ipairs, setmetatable = type, error, ipairs, setmetatable
local tointeger, tonumber = math.tointeger, tonumber

local function raise(message) error(message, 0) end

-- A kind of object: its methods, what makes one, and what tells whether a value is one. Whoever has an object must not
-- come by what is everybody's: its metatable stays out of sight.
local function kind(name)
    local methods, made = {}, setmetatable({}, { __mode = "k" })
    local metatable = { __name = "panto." .. name, __index = methods, __metatable = false }
    local function make(object)
        made[object] = true
        return setmetatable(object, metatable)
    end
    return methods, make, function(value) return made[value] == true end, metatable
end

-- ------------------------------------------------------------------------------------------------ conversation
local Conversation, make_conversation, is_conversation = kind("Conversation")

local function conversation(state) return make_conversation({ state = state }) end

--- Copies, oldest first: `{role, blocks}`.
function Conversation:messages() return host.messages(self.state) end

--- What was stored with message `i`, or nil.
function Conversation:message_metadata(i)
    local number = tointeger(tonumber(i))
    if not number then return nil end
    local fine, data = host.metadata(self.state, number)
    if not fine then raise("panto: " .. data) end
    return data
end

function Conversation:add_system_message(text, options)
    if type(text) ~= "string" then raise("panto: add_system_message expects a string") end
    local metadata = options
    if type(options) == "table" then metadata = options.metadata end
    if metadata ~= nil and type(metadata) ~= "table" then raise("panto: metadata must be a table") end
    local problem = host.add_system(self.state, text, metadata)
    if problem then raise("panto: " .. problem) end
end

-- ------------------------------------------------------------------------------------------------ job
local Job, make_job, _, JOB = kind("Job")

local function job(state) return make_job({ state = state, id = host.job_id(state) }) end

--- The oldest event that was not read, or nil. Never waits.
function Job:next_event() return host.next_event(self.state) end

--- Nil until it is settled; then the same table each time; nil after `close`.
function Job:result()
    if self.closed then return nil end
    self.outcome = self.outcome or host.result(self.state)
    return self.outcome
end

function Job:request_cancel() host.request_cancel(self.state) end
Job.cancel = Job.request_cancel

--- Ends it and lets go of its events and result.
function Job:close()
    self.closed, self.outcome = true, nil
    host.close(self.state)
end
JOB.__close = Job.close

--- Waits for the result; after `timeout` seconds `nil, "timeout"`.
function Job:await(timeout)
    if host.await(self.state, timeout) then return self:result() end
    return nil, "timeout"
end

--- Waits for the next event; nil when there will be none.
function Job:await_event() return host.await_event(self.state) end

--- Its line in the list of jobs.
function Job:info() return host.info(self.state) end

--- Says something to it while it runs; false when it is over.
function Job:steer(text)
    if type(text) ~= "string" then error("job:steer: a string expected, got " .. type(text), 2) end
    return host.steer(self.state, text)
end

--- Cancels one of its calls, by the id that its events tell; it goes on with the result that says so.
function Job:cancel_call(call_id)
    if type(call_id) ~= "string" then error("job:cancel_call: a string expected, got " .. type(call_id), 2) end
    host.cancel_call(self.state, call_id)
end

--- Lets it run on when the call that started it ends, and when nobody holds it any more.
function Job:detach()
    host.detach(self.state)
    return self
end

-- ------------------------------------------------------------------------------------------------ store
local Store, make_store, is_store = kind("Store")

local function store(dir)
    local state, absolute = host.store(dir)
    return make_store({ state = state, dir = absolute })
end

--- `{id, message_count, api_style, …}`, or nil until there is an answer in it.
function Store:resolve(id) return type(id) == "string" and host.resolve(self.state, id) or nil end

function Store:load(id)
    local state = type(id) == "string" and host.load(self.state, id)
    return state and conversation(state) or nil
end

--- All that can be resumed, latest activity first.
function Store:list() return host.list(self.state) end

function panto.file_system_jsonl_store(options)
    local dir = options
    if type(options) == "table" then dir = options.dir end
    if type(dir) ~= "string" or dir == "" then raise("panto.file_system_jsonl_store: missing dir") end
    return store(dir)
end

function panto.null_store() return store(nil) end

-- ------------------------------------------------------------------------------------------------ agent
local Agent, make_agent = kind("Agent")

function Agent:conversation() return conversation(host.conversation(self.state)) end
function Agent:session_id() return host.session_id(self.state) end

--- Declarations, sorted by name.
function Agent:tools() return host.tools(self.state) end

local function is_list(value) return type(value) == "table" and (#value > 0 or next(value) == nil) end

function Agent:set_tools(declarations)
    if not self.state then raise("panto: set_tools is not supported on a borrowed agent") end
    if not is_list(declarations) then raise("panto: set_tools expects an array of declarations") end
    for i, declaration in ipairs(declarations) do
        local name = type(declaration) == "table" and declaration.name
        if type(name) ~= "string" or name == "" then raise("panto: tool declaration " .. i .. " has no name") end
    end
    local problem = host.set_tools(self.state, declarations)
    if problem then raise("panto: " .. problem) end
end

--- Starts a run and gives its job, or `nil, problem`.
function Agent:run_async(options)
    if not self.state then return nil, "run_async: not supported on a borrowed agent" end
    if type(options) ~= "table" then raise("panto: run_async expects a table") end
    if type(options.prompt) ~= "string" and not is_list(options.blocks) then
        return nil, "run_async: pass a prompt or blocks"
    end
    if options.metadata ~= nil and type(options.metadata) ~= "table" then
        return nil, "run_async: metadata must be a table"
    end
    local state, problem = host.run(self.state, options)
    if not state then return nil, "run_async: " .. problem end
    return job(state)
end

--- Runs to the end: the result.
function Agent:run(options)
    local running, problem = self:run_async(options)
    if not running then error(problem, 2) end
    local closing <close> = running
    return running:await()
end

function panto.agent(options)
    if type(options) ~= "table" then raise("panto.agent expects a table") end
    local config, place, said = options.config, options.store, options.conversation
    if type(config) ~= "table" then
        error("panto.agent: config must be what panto.ext.resolve_model gives, got " .. type(config), 2)
    end
    if not is_store(place) then
        error("panto.agent: store must be a store; panto.null_store() is one that keeps nothing", 2)
    end
    if said ~= nil and not is_conversation(said) then
        error("panto.agent: conversation must be what store:load gives, got " .. type(said), 2)
    end
    local state, problem = host.agent(config, place.state, said and said.state, options.session_id, options.system)
    if not state then error("panto.agent: " .. problem, 2) end
    return make_agent({ state = state })
end

-- ------------------------------------------------------------------------------------------------ panto.ext
ext.agent = make_agent({})

function ext.resolve_model(options)
    if type(options) ~= "table" then return nil, "resolve_model: expected a table of arguments" end
    local model = options.model
    if type(model) ~= "string" or model == "" then
        return nil, "resolve_model: model must be a 'provider:model' string"
    end
    local config, problem = host.resolve_model(model, options.reasoning, options.tool_choice)
    if not config then return nil, "resolve_model: " .. problem end
    config.tool_choice = options.tool_choice
    return config
end

function ext.models(query)
    if query == nil or query == "" then return host.overview() end
    if type(query) == "table" then query = query.query end
    if type(query) ~= "string" then error("panto.ext.models: the query must be a string, got " .. type(query), 2) end
    return host.find_models(query)
end

function ext.jobs() return host.jobs() end

local Work, make_work = kind("Work")

--- Says in a line what is being done.
function Work:progress(text) host.progress(self.state, text) end

--- Whether somebody wants it to end.
function Work:cancelled() return host.cancelled(self.state) end

function ext.spawn_job(options)
    if type(options) ~= "table" then
        error("panto.ext.spawn_job: a table {title, run} expected, got " .. type(options), 2)
    end
    local title, run = options.title, options.run
    if type(title) ~= "string" or title == "" then error("panto.ext.spawn_job: `title` must be a string", 2) end
    if type(run) ~= "function" then
        error("panto.ext.spawn_job: `run` must be a function, got " .. type(run), 2)
    end
    local state = host.start_task(title)
    host.drive(state, run, make_work({ state = state }))
    return job(state)
end
