use super::*;

const FILE: &str = "# mine\n\n# the one I like\ntheme = 'nord' # dark\n\n[tui]\nmouse = true   # off over ssh\n# motion = false\n\n[tools] # few\ndisabled = [\n  \"std.lua\", # no\n]\n";

fn set_to(text: &str, key: &str, value: &str) -> String {
    set(text, key, value).expect("a change")
}

#[test]
fn a_value_is_replaced_where_it_stands() {
    let edited = set_to(FILE, "tui.mouse", "false");
    assert_eq!(edited, FILE.replace("mouse = true ", "mouse = false "));
    assert_eq!(set_to(FILE, "theme", "\"auto\""), FILE.replace("'nord'", "\"auto\""));
    let list = set_to(FILE, "tools.disabled", "[]");
    assert!(list.ends_with("[tools] # few\ndisabled = []\n"), "{list}");
}

#[test]
fn a_new_key_comes_to_the_end_of_its_table() {
    assert_eq!(set_to(FILE, "tui.frame_ms", "16"), FILE.replace("ssh\n", "ssh\nframe_ms = 16\n"));
    assert_eq!(set_to(FILE, "mode", "\"ask\""), FILE.replace("# dark\n", "# dark\nmode = \"ask\"\n"));
    assert_eq!(set_to(FILE, "jobs.max_depth", "1"), format!("{FILE}\n[jobs]\nmax_depth = 1\n"));
    assert_eq!(set_to("[tui]\n\n[tools]\n", "tui.mouse", "true"), "[tui]\nmouse = true\n\n[tools]\n");
}

#[test]
fn a_first_key_of_the_file_comes_behind_its_head() {
    assert_eq!(set_to("", "mode", "\"ask\""), "mode = \"ask\"\n");
    assert_eq!(set_to("", "tui.mouse", "true"), "[tui]\nmouse = true\n");
    assert_eq!(set_to("# mine", "mode", "\"ask\""), "# mine\nmode = \"ask\"\n");
    assert_eq!(set_to("# mine\n\n[tui]\n", "mode", "\"ask\""), "# mine\n\nmode = \"ask\"\n\n[tui]\n");
    assert_eq!(set_to("# of tui\n[tui]\n", "mode", "\"ask\""), "mode = \"ask\"\n\n# of tui\n[tui]\n");
}

#[test]
fn other_ways_of_writing_tables_hold() {
    let inline = "tui = { mouse = true, motion = false } # both\n";
    assert_eq!(set_to(inline, "tui.mouse", "false"), inline.replace("mouse = true", "mouse = false"));
    let more = set_to(inline, "tui.frame_ms", "9");
    assert!(more.contains("frame_ms = 9") && more.contains("# both"), "{more}");
    let dotted = "tui.mouse = true\nmode = \"ask\"\n";
    let more = set_to(dotted, "tui.frame_ms", "9");
    assert!(more.contains("tui.frame_ms = 9\n") && more.contains("tui.mouse = true\n"), "{more}");
    let quoted = set_to("[providers.\"a.b\"]\nbase_url = \"x\"\n", "providers.\"a.b\".base_url", "\"y\"");
    assert_eq!(quoted, "[providers.\"a.b\"]\nbase_url = \"y\"\n");
}

#[test]
fn a_key_goes_with_its_line_and_comments_above_it_stay() {
    assert_eq!(remove(FILE, "theme"), Ok(FILE.replace("theme = 'nord' # dark\n", "")));
    assert_eq!(remove(FILE, "tui.mouse"), Ok(FILE.replace("mouse = true   # off over ssh\n", "")));
    let emptied = remove(FILE, "tools.disabled").expect("a change");
    assert!(emptied.ends_with("[tools] # few\n"), "{emptied}");
    assert_eq!(
        remove("tui = { mouse = true, motion = false }\n", "tui.mouse"),
        Ok("tui = { motion = false }\n".into())
    );
    assert_eq!(remove("tui.mouse = true\nmode = \"ask\"\n", "tui.mouse"), Ok("mode = \"ask\"\n".into()));
    assert_eq!(remove(FILE, "mode"), Err(EditError::Absent));
}

#[test]
fn line_breaks_of_windows_stay() {
    assert_eq!(set_to("a = 1\r\n[tui]\r\n", "b", "2"), "a = 1\r\nb = 2\r\n[tui]\r\n");
}

#[test]
fn what_is_no_toml_is_not_touched() {
    let error = set("a = 1\nb = = 2\n", "a", "3").expect_err("damaged");
    assert!(matches!(error, EditError::Damaged { line: 2, .. }), "{error}");
    assert!(remove("[tui\n", "a").is_err());
    assert_eq!(set("tui = 3\n", "tui.mouse", "true"), Err(EditError::Elsewhere));
}
