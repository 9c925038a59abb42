---@meta

--- What an extension shows and asks. All of it belongs to the extension and goes with it.
---@class panto.ext.ui
panto.ext.ui = {}

--- Shows a line outside of the conversation.
---@param text string
---@param level? "info"|"warning"|"error"
function panto.ext.ui.notify(text, level) end

--- Questions wait until somebody answers; the screen and the turn go on meanwhile. Where nobody is there (`panto -p`) the
--- default is the answer, and without one an error is raised. After `timeout` seconds the default is the answer too, else
--- none. A question is taken back when the call that asks is cancelled.
---@class panto.Ask
---@field timeout? number seconds

---@class panto.ConfirmOptions: panto.Ask
---@field title? string
---@field default? boolean also the marked answer
---@field yes? string the words of the answer
---@field no? string

--- A yes-or-no question. Esc is no.
---@param text string
---@param opts? panto.ConfirmOptions
---@return boolean
function panto.ext.ui.confirm(text, opts) end

---@class panto.Choice
---@field label string
---@field detail? string shown dim beside it
---@field value? any what `select` returns for it; else this table

---@class panto.SelectOptions: panto.Ask
---@field text? string more words
---@field multi? boolean several may be taken: Tab marks, and a list of values is returned
---@field default? any a value, a label or a place from 1; with `multi` a list of them

--- Lets the user choose from a list that can be filtered. Esc gives nil.
---@param title string
---@param items (string|panto.Choice)[]
---@param opts? panto.SelectOptions
---@return any value of the item, or the list of them
---@return integer? place from 1
function panto.ext.ui.select(title, items, opts) end

---@class panto.InputOptions: panto.Ask
---@field text? string more words
---@field default? string stands there at first
---@field placeholder? string shown while nothing is typed

--- Asks for a line. Esc gives nil.
---@param title string
---@param opts? panto.InputOptions
---@return string?
function panto.ext.ui.input(title, opts) end

---@class panto.EditOptions: panto.Ask
---@field title? string
---@field text? string more words
---@field default? string the answer where nobody is there

--- Lets the user edit a text of several lines. Esc gives nil.
---@param text string
---@param opts? panto.EditOptions
---@return string?
function panto.ext.ui.edit(text, opts) end

--- Sets words in the status line; nil removes them. Those of all extensions stand in the order of their keys.
---@param key string
---@param text? string|panto.Span[]
---@param opts? { role?: panto.Role }
function panto.ext.ui.status(key, text, opts) end

---@class panto.WidgetOptions
---@field pane? "above"|"below"|"side" over the editor (where it is if none is named), under it, or beside the transcript
---@field height? integer rows at the most (8)

--- Keeps an element on the screen, in the place of the one of this id; nil removes it.
---@param id string
---@param element? panto.Element
---@param opts? panto.WidgetOptions
function panto.ext.ui.widget(id, element, opts) end

--- Opens a picker or a page. Raises where there is no screen.
---@param pane "sessions"|"models"|"thinking"|"themes"|"help"|"keys"|"tools"|"extensions"|"prompts"|"tree"
function panto.ext.ui.open(pane) end

--- Copies a text for whoever sits at the screen. Raises where there is none.
---@param text string
function panto.ext.ui.copy(text) end

---@class panto.ext.keymap
panto.ext.keymap = {}

---@class panto.Key
---@field key string as in keymap.toml: `f5`, `ctrl-g`, `ctrl-x g`; not `esc`, `ctrl-c` and plain letters
---@field action? string the name of an action as in keymap.toml, or a command line `/name arguments`
---@field fn? fun() called as a coroutine; either this or `action`
---@field when? "global"|"main"|"picker"|"completion"|"dialog"|"form"|"search"|"transcript"|"jobs" where it counts (main)
---@field description? string for the keys page

--- Binds a key. A key that the user's keymap.toml binds stays the user's; the keys page says so.
---@param key panto.Key
function panto.ext.keymap.set(key) end

--- A call as a renderer sees it.
---@class panto.RenderCall
---@field id string
---@field name string
---@field input table
---@field title string
---@field state "running"|"done"|"error"
---@field text string the output so far, or the result
---@field details? table
---@field display? any what the tool wants shown
---@field took? number seconds, at the end

---@class panto.Renderer
---@field tool string
---@field render fun(call: panto.RenderCall): panto.Element? nil leaves the usual view

--- Says what calls of a tool look like: asked when one begins, changes (at most ten times a second) and ends. What fails
--- or takes longer than 2 s leaves the usual view, which also stands below the element where the call is opened.
---@param renderer panto.Renderer
function panto.ext.register_renderer(renderer) end

---@class panto.Style
---@field fg? string|integer `#rrggbb`, a number from 0 to 255, a name, or one of the palette
---@field bg? string|integer
---@field bold? boolean
---@field italic? boolean
---@field underline? boolean
---@field reversed? boolean
---@field dim? boolean
---@field strikethrough? boolean

---@class panto.Theme
---@field name string
---@field inherits? string the theme that says what this one doesn't
---@field palette? table<string, string|integer>
---@field styles? table<panto.Role, string|integer|panto.Style>

--- Brings a theme, as a file in `<config>/panto/themes` would.
---@param theme panto.Theme
function panto.ext.register_theme(theme) end

--- Offers names beside the files where the user types an `@`. `list` is asked each time that he does; with a name that is
--- chosen, `@name` stands in the message, and it is up to the extension (or to the description of a tool) what that means. A
--- second call takes the place of the first.
---@param list fun(): (string|panto.Completion)[]
function panto.ext.register_mentions(list) end
