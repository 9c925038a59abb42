-- What rules know of programs: which have subcommands, which options stand before those, and which subcommands run whatever
-- they are given.
local programs = {}

local function set(words)
  local found = {}
  for word in words:gmatch("%S+") do
    found[word] = true
  end
  return found
end

local SUBCOMMANDS = set([[
  git cargo npm pnpm yarn bun deno go docker podman kubectl helm terraform gh glab pip pip3 uv poetry make just systemctl
  brew apt apt-get dnf pacman dotnet mix rustup gradle mvn bundle rails composer gem conda nix swift flutter dart stack
  cabal zig hg svn jj task rake tox nox hatch pdm pre-commit ansible aws gcloud az vagrant]])

--- Subcommands that run a program or a text which stands behind them, or settings that do so later.
local RUNS = {
  git = "config bisect submodule filter-branch rebase difftool mergetool",
  cargo = "run", npm = "exec x explore init create config set", pnpm = "exec dlx create config", yarn = "exec dlx node create config",
  bun = "x exec create", deno = "run eval repl task", go = "run tool generate", docker = "run exec compose buildx", podman = "run exec compose",
  kubectl = "exec run debug", gh = "api alias extension", uv = "run tool x", poetry = "run config", dotnet = "run exec script",
  mix = "run do eval", bundle = "exec", rails = "runner console", composer = "exec", gem = "exec", conda = "run", nix = "run shell develop eval",
  stack = "exec runghc", cabal = "run exec", hatch = "run", pdm = "run", swift = "run", dart = "run", rustup = "run", zig = "run",
  vagrant = "ssh", hg = "config",
}

--- Options before the subcommand that take the next word.
local VALUED = {
  git = "-C -c --git-dir --work-tree --namespace --config-env --super-prefix --exec-path --attr-source",
  cargo = "-C -Z --config --color", npm = "--prefix -w --workspace -C", pnpm = "-C --dir -F --filter", yarn = "--cwd",
  docker = "-H --host -c --context -l --log-level --config", podman = "-c --connection --log-level --root",
  kubectl = "-n --namespace --context --cluster --kubeconfig -s --server --user", helm = "-n --namespace --kube-context",
  make = "-C -f -I -o -W --directory --file", gh = "-R --repo", glab = "-R --repo", systemctl = "-H -M -t -p", go = "-C",
}

local function lists(list, word)
  return list ~= nil and (" " .. list .. " "):find(" " .. word .. " ", 1, true) ~= nil
end

--- How many words begin a command of this kind: `cargo test` 2, `npm run build` 3; nil if only the whole command says what
--- it does.
function programs.beginning(part)
  local program, word = part.program, part.words[2]
  if not SUBCOMMANDS[program] or not word or part.dynamic[2] or not word:find("^[%a][%w:._-]*$") or lists(RUNS[program], word) then
    return nil
  elseif word ~= "run" and word ~= "run-script" then
    return 2
  end
  local script = part.words[3]
  return script and not part.dynamic[3] and script:find("^[%a][%w:._-]*$") and 3 or nil
end

--- The words without the options before the subcommand; nil if there are none.
function programs.bare(name, part)
  local at = 2
  while part.words[at] and part.words[at]:find("^[-+].") do
    at = at + (lists(VALUED[name], part.words[at]) and 2 or 1)
  end
  if not SUBCOMMANDS[name] or at == 2 or not part.words[at] then
    return nil
  end
  return table.move(part.words, at, #part.words, 2, { name })
end

return programs
