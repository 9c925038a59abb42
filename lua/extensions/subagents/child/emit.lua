-- Results in a given form: the child gives them by a tool, `emit_result`, whose schema is that form. A child with tools may
-- call it whenever it is done; one that has not, or has no tools, is made to: the model may then do nothing else.
local emit = {}

emit.name = "emit_result"
emit.choice = { type = "tool", name = emit.name }
emit.attempts = 3 -- forced ones

emit.told = "When you are done, give your result by calling emit_result; it is what counts, and ends your work."
emit.ask = "Give your result now by calling emit_result. It is all that is read."

--- Schemas of tools are of objects: any other is put into one. What it refers to stays where it is looked for.
local function wrapped(schema)
  if schema.type == "object" then
    return schema, false
  end
  return {
    type = "object", properties = { result = schema }, required = panto.json.array { "result" },
    ["$defs"] = schema["$defs"], definitions = schema.definitions,
  }, true
end

--- What is wrong with a schema, if it is none.
function emit.fault(schema)
  local ok, why = pcall(panto.schema.check, wrapped(schema), panto.null)
  return not ok and ("output_schema is no JSON schema: " .. tostring(why):gsub("^schema: ", "")) or nil
end

--- The tool. With `take` it is run: `take(value)` gets a result that fits.
function emit.tool(schema, take)
  local own, inside = wrapped(schema)
  local handler = take and function(input)
    if inside then
      input = input.result == nil and panto.null or input.result
    end
    take(input)
    return { content = { "The result has been taken." }, details = { ends_turn = true } }
  end
  return {
    name = emit.name, description = "Gives the result of the task, in the form that is asked for, and ends the work.",
    schema = own, handler = handler, readonly = true,
  }
end

--- The result that an answer's calls give; nil and what is wrong with it.
function emit.read(schema, calls)
  local call
  for _, one in ipairs(calls or {}) do
    call = one.name == emit.name and one or call
  end
  if not call then
    return nil, "the model did not call emit_result"
  end
  local decoded, value = pcall(panto.ext.json.decode, call.input)
  if not decoded then
    return nil, "emit_result was called with something that is no JSON: " .. tostring(value)
  end
  local own, inside = wrapped(schema)
  local fits, problems = panto.schema.check(own, value)
  if not fits then
    return nil, "the result does not fit output_schema: " .. table.concat(problems, "; ")
  end
  if inside then
    value = value.result
  end
  return value
end

return emit
