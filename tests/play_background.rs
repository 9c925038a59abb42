//! Ctrl-B: a call that runs goes on in the background, and the turn goes on without it.

use crate::play::{WAITS, open, play_both, quit};
use crate::support::{Model, World, wait};
use std::time::{Duration, Instant};

fn script(command: &str) -> String {
    format!(
        r#"
[[turn]]
when = "go"
on = "prompt"
steps = [{{ tool = {{ name = "std.shell", input = {{ command = {command:?} }} }} }}]
[[turn]]
when = "sent to the background"
times = 0
steps = [{{ text = "HEARD-OF-IT" }}]
[[turn]]
times = 0
steps = [{{ text = "WENT-ON" }}]
"#
    )
}

#[test]
fn a_call_goes_on_without_its_turn_and_its_result_comes_later() {
    play_both(&script(WAITS), |world, model, size| {
        let mut t = open(world, &[], size);
        t.submit("go").wait("│ first").key("ctrl-b").wait("WENT-ON").wait("type a prompt");
        assert!(
            model.results()[0].starts_with("The user has sent this call to the background"),
            "{:?}",
            model.results()
        );
        world.write("go", "");
        t.wait("HEARD-OF-IT").wait("type a prompt");
        let told = model.asked().pop().expect("a message");
        assert!(told.contains("has ended") && told.contains("second"), "{told}");
        quit(t);
    });
}

/// As a job it can be stopped, and nothing of it is left when the program has ended.
#[test]
fn it_is_a_job_that_stops_and_that_ends_with_the_program() {
    for stopped in [true, false] {
        let mut world = World::new();
        let model = Model::serve(&mut world, &script("echo first; sleep 4711.5"));
        let mut t = open(&world, &[], (120, 40));
        t.submit("go").wait("│ first").key("ctrl-b").wait("WENT-ON").wait("type a prompt");
        assert!(running());
        if stopped {
            t.key("ctrl-x").key("right").key("x").wait("stopped in the background").key("esc").pause();
            gone();
        }
        quit(t);
        gone();
        assert_eq!(model.asked().len(), 2, "{:?}", model.asked());
    }
}

fn running() -> bool {
    wait::running("4711.5")
}

fn gone() {
    let since = Instant::now();
    while running() {
        assert!(since.elapsed() < Duration::from_secs(10), "the command goes on");
        std::thread::yield_now();
    }
}
