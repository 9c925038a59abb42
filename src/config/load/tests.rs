use super::*;
use crate::config::{Mode, ThinkingView};
use crate::conversation::Thinking;

/// A user file, a project file and an environment.
struct World {
    root: tempfile::TempDir,
    paths: Paths,
    env: Vec<(&'static str, &'static str)>,
    flags: Flags,
}

fn world(user: &str, project: &str) -> World {
    let root = tempfile::tempdir().expect("a temporary folder");
    let paths = Paths { data: root.path().join("data"), config: root.path().join("config"), home: None };
    for (folder, text) in [(paths.config.clone(), user), (root.path().join(PROJECT), project)] {
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(FILE), text).expect("a file");
    }
    World { root, paths, env: vec![], flags: Flags::default() }
}

impl World {
    fn load(&self, trusted: bool) -> Result<Resolved, ConfigError> {
        let env = |name: &str| self.env.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
        let cwd = self.root.path();
        load(Layers { paths: &self.paths, cwd, trusted, file: None, env: &env, flags: self.flags.clone() })
    }

    fn resolved(&self) -> Resolved {
        self.load(true).expect("a good configuration")
    }

    fn error(&self) -> String {
        self.load(true).expect_err("a bad configuration").to_string()
    }
}

#[test]
fn nothing_set_gives_the_defaults() {
    let r = world("", "").resolved();
    assert_eq!(r.options, Options::default());
    assert_eq!(r.origin("tui.mouse"), Origin::BuiltIn);
}

#[test]
fn layers_override_key_by_key() {
    let mut w = world(
        "mode = \"ask\"\ntheme = \"a\"\n[tui]\nmouse = false\ntool_lines = 3\n",
        "theme = \"b\"\n[tui]\ntool_lines = 4\n",
    );
    w.env = vec![("PANTO_MODE", " plan "), ("PANTO_THINKING", "")];
    w.flags.set("--theme", "theme", Value::Text("c".into()));
    let r = w.resolved();
    let o = &r.options;
    assert_eq!((o.mode, o.theme.as_str(), o.tui.mouse, o.tui.tool_lines), (Mode::Plan, "c", false, 4));
    assert_eq!(o.thinking, Thinking::Medium);
    assert_eq!((r.origin("mode"), r.origin("theme")), (Origin::Environment("PANTO_MODE"), Origin::Flag("--theme")));
    assert!(r.origin("tui.tool_lines").to_string().ends_with(".panto/config.toml:3"));
    assert!(r.origin("tui.mouse").to_string().ends_with("config/config.toml:4"));
}

#[test]
fn a_project_counts_only_when_trusted() {
    let w = world("", "theme = \"b\"\nnonsense = 1\n");
    assert_eq!(w.load(false).expect("not read").options.theme, "auto");
    assert!(w.error().contains("nonsense"));
}

#[test]
fn lists_replace_and_the_mark_stands_for_the_list_below() {
    let user = "[tools]\ndisabled = [\"a\", \"b\"]\ndeny = [\"x\"]\n[providers.p]\nmodels = [{ id = \"one\" }]\n";
    let project = "[tools]\ndisabled = [\"c\", \"…\", \"d\"]\ndeny = [\"y\"]\nallow = [\"…\"]\n[providers.p]\nmodels = [\"…\", { id = \"two\" }]\n";
    let o = world(user, project).resolved().options;
    assert_eq!(o.tools.disabled, ["c", "a", "b", "d"]);
    assert_eq!((o.tools.deny, o.tools.allow), (vec!["y".to_owned()], vec![]));
    let ids: Vec<_> = o.providers["p"].models.iter().map(|m| m.id.as_str()).collect();
    assert_eq!(ids, ["one", "two"]);
}

#[test]
fn errors_name_the_file_the_line_the_key_and_what_would_be_right() {
    let table: [(&str, &[&str]); 18] = [
        ("[extensions]\n\npathz = []\n", &["config.toml:3", "`extensions.pathz`", "did you mean `paths`?"]),
        ("\nmodle = \"x\"\n", &["config.toml:2", "`modle`", "`model`"]),
        ("max_turns = 3\n", &["config.toml:1", "belongs under [agent]"]),
        ("[tui]\nwombat = 3\n", &["config.toml:2", "known here: mouse"]),
        ("[tui]\nmouse = \"yes\"\n", &["config.toml:2", "`tui.mouse` must be true or false, not the text \"yes\""]),
        ("[tui]\ntool_lines = -1\n", &["config.toml:2", "`tui.tool_lines` must be a whole number, 0 or more, not -1"]),
        ("[tui]\ntool_lines = 1.5\n", &["config.toml:2", "whole number", "1.5"]),
        ("tui = 3\n", &["config.toml:1", "`tui` must be a table, not 3"]),
        ("theme = 3\n", &["config.toml:1", "`theme` must be a text in quotes, not 3"]),
        ("[tools]\ndisabled = [\n \"a\",\n 7 ]\n", &["config.toml:4", "`tools.disabled`", "text in quotes, not 7"]),
        ("[tools]\ndisabled = \"a\"\n", &["config.toml:2", "must be a list, not the text \"a\""]),
        (
            "[permissions]\nallow = [\"std.read\",\n  \"std.shell(cargo *\"]\n",
            &["config.toml:3", "`permissions.allow`", "std.shell(cargo *", "not closed"],
        ),
        ("mode = \"yolo\"\n", &["config.toml:1", "`mode`", "\"yolo\"", "plan ask workspace auto"]),
        ("[providers.x]\nmodels = [ { context = 3 } ]\n", &["config.toml:2", "`providers.x.models`", "lacks `id`"]),
        ("[providers.x]\nbase = \"u\"\n", &["config.toml:2", "`providers.x.base`", "`base_url`"]),
        ("[providers.x]\ndialect = \"openai\"\n", &["config.toml:2", "openai_responses"]),
        ("a = 1\n[tui\n", &["config.toml:2", "not valid TOML"]),
        ("[tui]\nambiguous_width = 3\n", &["config.toml:2", "`tui.ambiguous_width` must be 1 or 2"]),
    ];
    for (text, parts) in table {
        let error = world(text, "").error();
        for part in parts {
            assert!(error.contains(part), "{text:?}: no {part:?} in: {error}");
        }
    }
}

#[test]
fn a_bad_variable_is_named() {
    let mut w = world("", "");
    w.env = vec![("PANTO_MODE", "yolo")];
    assert_eq!(w.error(), "PANTO_MODE: `mode` cannot be \"yolo\"; choose one of plan ask workspace auto");
}

#[test]
fn a_fault_is_told_even_where_a_stronger_layer_hides_it() {
    assert!(world("[tui]\nmouse = 1\n", "[tui]\nmouse = true\n").error().contains("tui.mouse"));
}

#[test]
fn a_file_that_is_no_text_and_one_that_is_missing() {
    let w = world("", "");
    fs::write(w.paths.config.join(FILE), b"a = 1\n\xff\n").expect("a file");
    assert!(w.error().contains("config.toml:2: this is not UTF-8"));
    let none = |_: &str| None;
    let file = Some(w.root.path().join("nowhere.toml"));
    let layers =
        Layers { paths: &w.paths, cwd: w.root.path(), trusted: false, file, env: &none, flags: Flags::default() };
    assert!(load(layers).expect_err("no such file").to_string().contains("nowhere.toml"));
}

#[test]
fn a_byte_order_mark_is_no_key() {
    assert!(!world("\u{feff}[tui]\nmouse = false\n", "").resolved().options.tui.mouse);
}

#[test]
fn settings_are_listed_with_their_origin_and_without_secrets() {
    let w = world(
        "[tui]\nthinking = \"shown\"\n[providers.p]\napi_key = \"sk-1\"\nheaders = { authorization = \"Bearer sk-2\" }\n",
        "",
    );
    let r = w.resolved();
    assert_eq!(r.options.tui.thinking, ThinkingView::Shown);
    let rows = r.settings();
    let row = |key: &str| rows.iter().find(|s| s.key == key).unwrap_or_else(|| panic!("no row {key}"));
    assert_eq!(row("tui.thinking").value, "\"shown\"");
    assert!(matches!(row("tui.thinking").origin, Origin::File { line: 2, .. }));
    assert_eq!((row("agent.compact_at").value.as_str(), &row("agent.compact_at").origin), ("0.9", &Origin::BuiltIn));
    assert!(rows.iter().all(|s| !s.value.contains("sk-")), "{rows:?}");
}

#[test]
fn the_documented_file_is_the_built_in_one() {
    let path = Path::new("assets/config.toml");
    let text = include_str!("../../../assets/config.toml");
    let table = tree::parse(text, path).expect("valid TOML");
    assert_eq!(read::read::<Options>(&table).expect("known keys"), Options::default());
    documented(&tree::built_in(), &table, text, "");
}

/// Every key of `wanted` stands in the file, with a comment beside it.
fn documented(wanted: &Table, file: &Table, text: &str, prefix: &str) {
    for (key, node) in wanted {
        let name = format!("{prefix}{key}");
        if name == "providers" {
            continue;
        }
        let found = file.get(key).unwrap_or_else(|| panic!("assets/config.toml lacks `{name}`"));
        match (&node.value, &found.value, &found.origin) {
            (Value::Table(wanted), Value::Table(file), _) => documented(wanted, file, text, &format!("{name}.")),
            (_, _, Origin::File { line, .. }) => {
                let line = text.lines().nth(line - 1).expect("a line");
                assert!(line.contains('#'), "`{name}` has no comment: {line}");
            }
            other => panic!("`{name}`: {other:?}"),
        }
    }
}

#[test]
fn the_example_of_a_provider_in_the_documented_file_is_right() {
    let text = include_str!("../../../assets/config.toml");
    let example: String = text
        .lines()
        .skip_while(|l| !l.starts_with("# [providers.NAME]"))
        .take_while(|l| l.starts_with('#'))
        .map(|l| format!("{}\n", l.trim_start_matches('#').trim_start()))
        .collect();
    let options: Options = read::read(&tree::parse(&example, Path::new("example")).expect("TOML")).expect("known keys");
    let p = &options.providers["NAME"];
    assert!(p.dialect.is_some() && p.quirks.no_thinking.is_some() && p.models[0].price.is_some());
}
