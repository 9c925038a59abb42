-- A background job: /watch COMMAND runs a command whenever a file changes, and says when it begins to fail or to work again.
panto.register_command {
    name = "watch",
    description = "Runs a command whenever a file changes",
    handler = function(command)
        if command == "" then error("say what to run: /watch cargo check", 0) end
        panto.ext.spawn_job {
            title = "watch: " .. command,
            run = function(job)
                local failing = false
                local files <close> = panto.fs.watch(".")
                repeat
                    job:progress("running")
                    local result = panto.process.run { cmd = command }
                    if (result.code ~= 0) ~= failing then
                        failing = not failing
                        panto.ext.ui.notify(command .. (failing and " fails now" or " works again"), failing and "warning" or "info")
                    end
                    job:progress(failing and "failing" or "fine")
                until not files:next()
            end,
        }
    end,
}
