-- Words of the permissions: for the model where something is refused, for the user where something is asked.
local say = {}

say.planning = {
  deny = "plan mode: nothing is changed now. Look around with what only reads, and answer with a plan; the user leaves the mode when it is agreed.",
}

function say.denied(name, rule)
  return { deny = ('%s was not run: the rule "%s" of [permissions] deny forbids it.'):format(name, rule.text) }
end

function say.by_rule(rule)
  return ('the rule "%s" of [permissions] ask'):format(rule.text)
end

function say.unsure(rule)
  return ('before it runs it can\'t be told whether the rule "%s" of [permissions] is about it'):format(rule.text)
end

--- A rule for just this; what would be a wildcard stands for itself.
function say.rule(tool, text)
  return ("%s(%s)"):format(tool, (text:gsub("[\\*]", "\\%0")))
end

return say
