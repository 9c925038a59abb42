-- A tool that runs several checks side by side and shows each as it ends.
local checks = {
    format = "cargo fmt --check",
    lint = "cargo clippy --quiet",
    test = "cargo test --quiet",
}

panto.register_tool {
    name = "checks",
    description = "Runs the project's format, lint and test checks side by side and tells which failed.",
    schema = { type = "object" },
    words = { doing = "Running the checks", done = "Ran the checks" },
    timeout = 600,
    handler = function(_, call)
        local names, running = {}, {}
        for name in pairs(checks) do names[#names + 1] = name end
        table.sort(names)
        for i, name in ipairs(names) do
            running[i] = function()
                local result = panto.process.run { cmd = checks[name] }
                call:append(("%s: %s\n"):format(name, result.code == 0 and "ok" or "failed"))
                return result
            end
        end
        local report = {}
        for i, result in ipairs(panto.task.all(running)) do
            report[i] = { check = names[i], ok = result.code == 0, output = result.stdout .. result.stderr }
        end
        return report
    end,
}
