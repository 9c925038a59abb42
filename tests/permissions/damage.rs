//! Bad rules and damaged files: nothing is allowed by them, it is said where they lie, and nothing is lost.

use super::{calls, modes::UNATTENDED, script};
use crate::play::{open, play, quit};
use crate::support::{Model, Terminal, World};
use std::fs;

const TOUCH: [(&str, &str); 1] = [("std.shell", "command = 'touch one'")];

#[test]
fn a_malformed_rule_ends_the_start_with_its_file_line_and_what_is_wrong() {
    let config = "[permissions]\nallow = [\n  \"std.read\",\n  \"std.shell(cargo *\",\n]\n";
    for (list, text) in [("allow", config.to_owned()), ("deny", config.replace("allow", "deny"))] {
        let world = World::new();
        world.user("config.toml", &text);
        let told =
            format!("config.toml:4: `permissions.{list}` has the rule \"std.shell(cargo *\", which is malformed");
        for args in [&["-p", "go"][..], &["rpc"], &["serve"]] {
            let ran = world.run(args);
            assert!(ran.code == 3 && ran.err.contains(&told), "{args:?}: {ran:?}");
            assert!(ran.err.contains("its bracket is not closed at its end") && ran.out.is_empty(), "{ran:?}");
        }
        let mut t = Terminal::panto(&world, &[], 300, 40);
        assert_eq!(t.exit_code(), 3);
        let screen = t.screen();
        assert!(screen.contains(&told) && !t.alternate(), "{screen}");
    }
}

/// `approvals.json` with a rule for the project, before its last bracket.
fn cut_approvals(world: &World) -> String {
    let cut = format!("{{\"{}\": [\"std.shell(touch one)\"]", world.project().display());
    world.write(world.data().join("approvals.json"), &cut);
    cut
}

#[test]
fn a_cut_file_of_approvals_is_told_and_allows_nothing() {
    let mut world = World::new();
    let cut = cut_approvals(&world);
    let result = calls(&mut world, "ask", &TOUCH).remove(0);
    assert!(result.contains(UNATTENDED) && !world.project().join("one").exists(), "{result}");
    let _model = Model::serve(&mut world, &script(&TOUCH));
    let told = world.run(&["-p", "go"]).ok().err;
    assert!(told.contains("approvals.json is unreadable; nothing is allowed by it"), "{told}");
    assert_eq!(world.read(world.data().join("approvals.json")), cut, "it is left alone");
}

#[test]
fn a_cut_file_of_approvals_is_kept_aside_when_an_answer_is_written() {
    play(&script(&TOUCH), |world, _, size| {
        let cut = cut_approvals(world);
        world.set("PANTO_MODE", "ask");
        let mut t = open(world, &[], size);
        t.wait("approvals.json is unreadable").submit("go").wait("touch one").pause();
        assert!(!world.project().join("one").exists());
        t.key("p").wait("END").wait("type a prompt");
        quit(t);
        assert_eq!(world.read(world.data().join("approvals.json.damaged")), cut);
        fs::remove_file(world.project().join("one")).expect("it was made");
        let _model = Model::serve(world, &script(&TOUCH));
        let told = world.run(&["-p", "go"]).ok().err;
        assert!(world.project().join("one").exists() && !told.contains("unreadable"), "{told}");
    });
}

#[test]
fn a_cut_trust_file_is_told_trusts_nobody_and_is_kept_aside_when_an_answer_is_written() {
    play("[[turn]]\ntimes = 0\nsteps = [{ text = \"END\" }]", |world, _, (columns, rows)| {
        let mark = world.data().with_file_name("loaded");
        let spy = format!("io.open({:?}, 'w'):close()", mark.display().to_string());
        world.write(".panto/extensions/spy.lua", &spy);
        let cut = "{\"trusted\": [";
        world.write(world.data().join("trust.json"), cut);
        let told = world.run(&["-p", "go"]).ok().err;
        assert!(told.contains("trust.json is unreadable and counts as empty") && !mark.exists(), "{told}");
        let mut t = Terminal::panto(world, &[], columns, rows);
        t.wait("not now").pause().key("t").wait_gone("not now").wait("type a prompt");
        quit(t);
        assert!(mark.exists());
        assert_eq!(world.read(world.data().join("trust.json.damaged")), cut);
        // The answer is known.
        fs::remove_file(&mark).expect("it was made");
        quit(open(world, &[], (columns, rows)));
        assert!(mark.exists());
    });
}
