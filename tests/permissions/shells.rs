//! Which shell reads the lines: what another one would take apart in another way is asked about as a whole.

use super::calls;
use crate::support::World;
use std::{fs, os::unix::fs::PermissionsExt};

/// A world whose shell is called `fish` and knows its `and`.
pub fn with_fish() -> World {
    let mut world = World::new();
    fish(&mut world, "");
    world
}

/// Makes that the shell of a world, with more of a configuration.
pub fn fish(world: &mut World, more: &str) {
    let path = world.write("../fish", "#!/bin/sh\nexec /bin/sh -c \"${2#and }\"\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    world.user("config.toml", &format!("{more}[tools]\nshell = \"{}\"\n", path.display()));
}

#[test]
fn a_rule_is_not_slipped_through_in_the_words_of_another_shell() {
    let mut world = World::new();
    fish(&mut world, "[permissions]\nallow = [\"std.shell(and *)\"]\ndeny = [\"std.shell(touch *)\"]\n");
    let result = calls(&mut world, "auto", &[("std.shell", "command = 'and touch made'")]).remove(0);
    assert!(result.contains("the command line can't be taken apart (fish has a language of its own)"), "{result}");
    assert!(!world.project().join("made").exists());
}

#[test]
fn without_a_rule_that_could_be_about_it_it_runs() {
    let mut world = with_fish();
    calls(&mut world, "auto", &[("std.shell", "command = 'and touch made'")]);
    assert!(world.project().join("made").exists());
}

#[test]
fn what_cannot_be_taken_apart_is_told_with_the_reason() {
    let mut world = World::new();
    let result = calls(&mut world, "ask", &[("std.shell", "command = 'echo \"x'")]).remove(0);
    assert!(result.contains("can't be taken apart (") && !result.contains("nil"), "{result}");
}

#[test]
fn a_rule_about_the_shell_is_about_lines_that_run_nothing_too() {
    for rule in ["std.shell", "std.shell(*)"] {
        let mut world = World::new();
        world.user("config.toml", &format!("[permissions]\ndeny = [\"{rule}\"]\n"));
        let result = calls(&mut world, "auto", &[("std.shell", "command = '> made'")]).remove(0);
        assert!(result.contains("deny forbids it") && !world.project().join("made").exists(), "{result}");
    }
}

#[test]
fn rules_are_about_paths_by_each_of_their_names_and_behind_a_change_of_folder() {
    let mut world = World::new();
    world.write("real/a.txt", "SECRET-WORD");
    world.write("kept/b.txt", "SECRET-WORD");
    std::os::unix::fs::symlink(world.project().join("real"), world.project().join("link")).expect("a link");
    let kept = world.project().join("kept").display().to_string();
    world.user(
        "config.toml",
        "[permissions]\ndeny = [\"std.read(link/**)\", \"std.find(kept)\", \"std.edit(kept/**)\"]\nask = [\"std.edit(link/**)\"]\n",
    );
    let find = format!("pattern = '{kept}/*'");
    let refused = [
        ("std.read", "path = 'link/a.txt'"),
        ("std.find", find.as_str()),
        ("std.write", "path = 'link/new', content = 'x'"),
        ("std.shell", "command = 'cd kept && echo x > new'"),
        ("std.shell", "command = 'echo x > kept/new'"),
    ];
    for ((name, input), result) in refused.iter().zip(calls(&mut world, "auto", &refused)) {
        let told = ["deny forbids it", "it needs the approval"].iter().any(|told| result.contains(told));
        assert!(told && !result.contains("b.txt"), "{name} {input}: {result}");
    }
    let allowed =
        [("std.read", "path = 'real/a.txt'"), ("std.shell", "command = 'cd real && echo x > /dev/null; echo RAN'")];
    let results = calls(&mut world, "auto", &allowed);
    assert!(results[0].contains("SECRET-WORD") && results[1].contains("RAN"), "{results:?}");
    assert!(!world.project().join("kept/new").exists() && !world.project().join("real/new").exists());
}
