//! Questions at a terminal: what is shown, what the answers do, and what becomes of one that nobody answers.

use super::script;
use crate::play::{open, play, quit};
use crate::support::{Model, Terminal, World};

/// The program in mode `ask`, at the first question.
fn asked(world: &mut World, size: (u16, u16), shown: &str) -> Terminal {
    world.set("PANTO_MODE", "ask");
    let mut t = open(world, &[], size);
    // A key that comes with the question was meant for something else.
    t.submit("go").wait(shown).pause();
    t
}

fn made(world: &World, names: &[&str]) -> Vec<String> {
    names.iter().filter(|name| world.project().join(name).exists()).map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_command_is_shown_and_run_when_it_is_allowed() {
    play(&script(&[("std.shell", "command = 'touch one && ls'")]), |world, _, size| {
        let mut t = asked(world, size, "touch one");
        assert!(made(world, &["one"]).is_empty());
        t.snapshot(world, "question-command").key("y").wait("END").wait("type a prompt");
        assert_eq!(made(world, &["one"]), ["one"]);
        quit(t);
    });
}

#[test]
fn an_edit_is_shown_with_its_diff_before_it_is_made() {
    let edit = "path = 'poem.txt', old_string = 'blue', new_string = 'violet'";
    play(&script(&[("std.edit", edit)]), |world, _, size| {
        world.write("poem.txt", "roses\nare red\nblue\nis the sky\nthe end\n");
        let mut t = asked(world, size, "violet");
        assert!(world.read("poem.txt").contains("blue"));
        t.snapshot(world, "question-edit").key("y").wait("END").wait("type a prompt");
        assert!(world.read("poem.txt").contains("violet"));
        quit(t);
    });
}

#[test]
fn a_long_command_scrolls_to_its_end() {
    let line: String = (0..80).map(|n| format!("echo line-{n}; ")).collect();
    play(&script(&[("std.shell", &format!("command = '{line} echo THE-LAST'"))]), |world, model, size| {
        let mut t = asked(world, size, "line-0;");
        for _ in 0..12 {
            t.key("pgdn");
        }
        t.wait("THE-LAST").wait("[n] no").key("n").wait("END").wait("type a prompt");
        assert!(model.results()[0].contains("the user did not allow std.shell"), "{:?}", model.results());
        quit(t);
    });
}

#[test]
fn one_waits_behind_the_other_and_each_has_its_answer() {
    let two = [("std.shell", "command = 'touch one'"), ("std.shell", "command = 'touch two'")];
    play(&script(&two), |world, model, size| {
        let mut t = asked(world, size, "touch one");
        t.snapshot(world, "question-queue").key("n").wait("touch two").pause().key("y").wait("END");
        assert_eq!((made(world, &["one", "two"]), model.results().len()), (vec!["two".to_owned()], 2));
        t.wait("type a prompt");
        quit(t);
    });
}

#[test]
fn always_answers_what_waits_for_the_same() {
    let same = "command = 'touch one'";
    play(&script(&[("std.shell", same), ("std.shell", same)]), |world, model, size| {
        let mut t = asked(world, size, "touch one");
        t.key("a").wait("END").wait("type a prompt");
        assert!(model.results().iter().all(|r| r.contains("exit code 0")), "{:?}", model.results());
        quit(t);
    });
}

#[test]
fn always_in_the_project_is_kept_outside_of_it() {
    play(&script(&[("std.shell", "command = 'touch one'")]), |world, _, size| {
        let mut t = asked(world, size, "touch one");
        t.key("p").wait("END").wait("type a prompt");
        quit(t);
        let kept = world.read(world.data().join("approvals.json"));
        let project = world.project().display().to_string();
        assert!(kept.contains("std.shell(touch one)") && kept.contains(&project), "{kept}");
        std::fs::remove_file(world.project().join("one")).expect("it was made");
        let _model = Model::serve(world, &script(&[("std.shell", "command = 'touch one'")]));
        world.run(&["-p", "go"]).ok();
        assert_eq!(made(world, &["one"]), ["one"], "it is not asked again");
    });
}

#[test]
fn a_turn_that_is_aborted_leaves_the_question_with_a_no() {
    play(&script(&[("std.shell", "command = 'touch one'")]), |world, model, size| {
        let mut t = asked(world, size, "touch one");
        t.key("esc").wait("type a prompt").wait_gone("Esc interrupt");
        t.submit("and now").wait("END").wait("type a prompt");
        assert!(made(world, &["one"]).is_empty() && !model.results()[0].contains("exit code"), "{:?}", model.results());
        quit(t);
    });
}

#[test]
fn the_mode_goes_round_by_shift_tab_and_is_set_by_its_command() {
    play(&script(&[("std.write", "path = 'made', content = 'x'")]), |world, model, size| {
        world.unset("PANTO_MODE");
        let mut t = open(world, &[], size);
        for mode in ["workspace", "auto", "plan", "ask", "workspace"] {
            t.wait_for(mode, |screen| screen.lines().last().is_some_and(|line| line.contains(mode)));
            t.key("shift-tab");
        }
        t.submit("/mode plan").wait("· plan").submit("go").wait("END").wait("type a prompt");
        assert!(model.results()[0].contains("plan mode: ") && made(world, &["made"]).is_empty());
        quit(t);
    });
}
