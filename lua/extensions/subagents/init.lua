-- subagents: agents that the model starts, watches over and hears from; see contract.md (R77 to R94). An extension like
-- others, on the functions that every extension may call.
--
-- `profiles` says which agents there are, `child` makes one and runs it, `together` runs several, `background` keeps those
-- that nobody waits for, `workflow` runs graphs of them, `script` lets the model write Lua about them; `tools` is what the
-- model sees of it.
local background = require("panto.extensions.subagents.background")
local narrow = require("panto.extensions.subagents.child.narrow")

panto.ext.on("startup", background.started)
panto.ext.on("approval", narrow.judge)

require("panto.extensions.subagents.tools.run")()
require("panto.extensions.subagents.tools.models")()
