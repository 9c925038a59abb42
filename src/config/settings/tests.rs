use super::*;
use crate::config::Flags;
use std::os::unix::fs::{PermissionsExt, symlink};

struct World {
    root: tempfile::TempDir,
    flags: Flags,
    env: Vec<(&'static str, &'static str)>,
}

fn world(user: Option<&str>) -> World {
    let root = tempfile::tempdir().expect("a temporary folder");
    if let Some(text) = user {
        fs::create_dir_all(root.path().join("config")).expect("a folder");
        fs::write(root.path().join("config").join(FILE), text).expect("a file");
    }
    World { root, flags: Flags::default(), env: vec![] }
}

impl World {
    fn settings(&self) -> Settings {
        let root = self.root.path();
        let paths = Paths { data: root.join("data"), config: root.join("config"), home: None };
        let env = |name: &str| self.env.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
        let flags = self.flags.clone();
        Settings::of(Layers { paths: &paths, cwd: root, trusted: true, file: None, env: &env, flags })
    }

    fn change(&self, key: &str, typed: &str) -> Result<Changed, String> {
        let rows = self.settings().rows().expect("settings");
        let row = rows.iter().find(|row| row.key == key).expect("a setting");
        self.settings().change(key, &Change::Set(row.kind.read(typed)?))
    }

    fn text(&self) -> String {
        fs::read_to_string(self.settings().file()).unwrap_or_default()
    }
}

fn row<'a>(rows: &'a [SettingRow], key: &str) -> &'a SettingRow {
    rows.iter().find(|row| row.key == key).expect("a setting")
}

#[test]
fn every_setting_is_a_row_with_its_kind_words_and_origin() {
    let mut w = world(Some("theme = \"nord\"\n[tui]\nmouse = false\n"));
    w.env = vec![("PANTO_MODE", "ask")];
    let rows = w.settings().rows().expect("settings");
    assert_eq!(row(&rows, "mode").kind, Kind::Choice(&["plan", "ask", "workspace", "auto"]));
    assert!(matches!(row(&rows, "thinking").kind, Kind::Choice(words) if words.contains(&"xhigh")));
    assert!(matches!(row(&rows, "tui.images").kind, Kind::Choice(words) if words.contains(&"sixel")));
    assert_eq!((row(&rows, "tui.mouse").kind, row(&rows, "tui.mouse").default.as_str()), (Kind::Switch, "true"));
    assert_eq!(row(&rows, "agent.compact_at").kind, Kind::Number);
    assert_eq!(row(&rows, "tools.disabled").kind, Kind::List);
    assert_eq!((row(&rows, "theme").typed.as_str(), row(&rows, "theme").value.as_str()), ("nord", "\"nord\""));
    assert_eq!(row(&rows, "mode").origin, Origin::Environment("PANTO_MODE"));
    assert!(row(&rows, "theme").origin.to_string().ends_with("config.toml:1"));
    assert!(rows.iter().all(|row| !row.words.is_empty()));
    assert_eq!(rows[0].key, "mode", "the top level comes first");
}

#[test]
fn a_change_is_written_and_read_anew() {
    let w = world(None);
    let changed = w.change("tui.tool_lines", "3").expect("a change");
    assert_eq!((changed.options.tui.tool_lines, w.text().as_str()), (3, "[tui]\ntool_lines = 3\n"));
    let changed = w.change("tools.disabled", "[\"std.lua\"]").expect("a change");
    assert_eq!(changed.options.tools.disabled, ["std.lua"]);
    assert_eq!(w.change("agent.compact_at", "1").expect("a change").options.agent.compact_at, 1.0);
    let back = w.settings().change("tui.tool_lines", &Change::Reset).expect("a change");
    assert_eq!((back.options.tui.tool_lines, back.origin), (8, Origin::BuiltIn));
    let absent = w.settings().change("mode", &Change::Reset).expect_err("nothing to take back");
    assert!(absent.contains("`mode` is not set in"), "{absent}");
}

#[test]
fn a_bad_value_is_refused_with_the_reason_and_nothing_is_written() {
    let w = world(Some("# mine\n"));
    for (key, typed, why) in [
        ("tui.ambiguous_width", "3", "must be 1 or 2"),
        ("tui.tool_lines", "many", "`many` is no whole number"),
        ("tui.tool_lines", "-1", "`tui.tool_lines` must be a whole number, 0 or more"),
        ("agent.compact_at", "nan", "is no number"),
        ("agent.compact_at", "1.5", "above 0 and at most 1"),
        ("permissions.allow", "[\"std.shell(\"]", "malformed"),
        ("tools.disabled", "std.lua", "write a list"),
        ("tools.disabled", "[1]", "write a list"),
        ("tools.disabled", "[]\nmode = \"auto\"", "write a list"),
        ("mode", "yolo", "choose one of plan ask"),
    ] {
        let error = w.change(key, typed).expect_err(key);
        assert!(error.contains(why), "{key} = {typed}: {error}");
    }
    assert_eq!(w.text(), "# mine\n");
}

#[test]
fn a_damaged_file_is_never_overwritten() {
    let broken = "theme = \n[tui\n";
    let w = world(Some(broken));
    let set = w.settings().change("mode", &Change::Set(Value::Text("ask".into()))).expect_err("damaged");
    assert!(set.contains("config.toml:2: this is not valid TOML") && set.contains("nothing was written"), "{set}");
    assert_eq!(w.text(), broken);
    let unknown = "[tui]\nmuose = true\n";
    let w = world(Some(unknown));
    let set = w.settings().change("mode", &Change::Set(Value::Text("ask".into()))).expect_err("an unknown key");
    assert!(set.contains("did you mean `mouse`?") && set.contains("nothing was written"), "{set}");
    assert_eq!(w.text(), unknown);
}

#[test]
fn who_counts_before_the_file_is_told() {
    let mut w = world(None);
    w.flags.set("--theme", "theme", Value::Text("nord".into()));
    let changed = w.change("theme", "dracula").expect("a change");
    assert_eq!((changed.options.theme.as_str(), changed.origin), ("nord", Origin::Flag("--theme")));
    assert_eq!(w.text(), "theme = \"dracula\"\n");
}

#[test]
fn the_files_mode_its_link_and_its_byte_order_mark_stay() {
    let w = world(None);
    let (file, real) = (w.settings().file(), w.root.path().join("dotfiles.toml"));
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&real, "\u{feff}mode = \"ask\"\n").expect("a file");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).expect("a mode");
    symlink(&real, &file).expect("a link");
    w.change("mode", "plan").expect("a change");
    assert_eq!(fs::read_to_string(&real).expect("text"), "\u{feff}mode = \"plan\"\n");
    assert_eq!(fs::metadata(&real).expect("a file").permissions().mode() & 0o777, 0o600);
    assert!(fs::symlink_metadata(&file).expect("a link").is_symlink());
}

#[test]
fn secrets_and_tables_are_for_the_file() {
    let w = world(Some("[providers.x]\nbase_url = \"http://h\"\napi_key = \"sk\"\nmodels = [{ id = \"m\" }]\n"));
    let rows = w.settings().rows().expect("settings");
    assert!(matches!(row(&rows, "providers.x.api_key").kind, Kind::Fixed(_)));
    assert_eq!(row(&rows, "providers.x.api_key").value, "\"(hidden)\"");
    assert!(matches!(row(&rows, "providers.x.models").kind, Kind::Fixed(_)));
    assert_eq!(w.change("providers.x.base_url", "http://i").expect("a change").options.providers.len(), 1);
}
