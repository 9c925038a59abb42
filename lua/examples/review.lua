-- A keybinding: alt-v asks for a review of what is not committed yet.
panto.ext.keymap.set {
    key = "alt-v",
    fn = function()
        local result = panto.process.run { argv = { "git", "diff", "HEAD", "--stat" }, timeout = 5 }
        if result.code ~= 0 or result.stdout == "" then return panto.ext.ui.notify("there is nothing to review") end
        panto.ext.session.send("Review what is not committed yet (git diff HEAD). Name bugs first, with file and line.")
    end,
}
