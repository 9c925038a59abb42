-- permissions: what runs without asking (permissions.md). The mode is the session's (Shift-Tab, /mode); here is what each
-- one means, and what the rules of config.toml and the user's answers change about it. It is an extension like others:
-- `lua/extensions/permissions` uses nothing but the hook `approval` and what every extension may call.
local decide = require("panto.extensions.permissions.decide")

panto.ext.on("approval", decide)
