//! How many, how deep, how long, how dear, and what they may do.

use super::{Play, calls, run, says};
use crate::play::{open, quit};
use serde_json::json;

#[test]
fn r82_no_more_run_at_once_than_may() {
    let step = |steps: &str| format!("[[turn]]\nwhen = \"ONE\"\nsteps = [{steps}]\n");
    let lists = "{ tool = { name = \"std.ls\" } }";
    let one = step(&format!("{{ gate = \"one\" }}, {lists}")) + &step(lists) + &step("{ text = \"FIRST\" }");
    let play = Play::new(
        &[("subagents.run", json!({"tasks": [{"prompt": "ONE"}, {"prompt": "TWO"}]}))],
        &(one + &says("TWO", "SECOND")),
    );
    play.world.user("config.toml", "[jobs]\nmax_parallel = 1\n");
    let mut running = play.world.spawn(&["-p", "PARENT"]);
    play.model.reached("one").open("one");
    assert!(running.wait().expect("it ends").success());
    let asked: Vec<_> = play.model.asked().into_iter().filter(|asked| asked != "PARENT").collect();
    assert_eq!(asked, ["ONE", "ONE", "ONE", "TWO"], "the second is not asked before the first has ended");
    let result = play.model.results().pop().expect("a result");
    assert!(result.contains("FIRST") && result.contains("SECOND"), "{result}");
}

#[test]
fn a06_agents_that_may_start_agents_end_at_max_depth() {
    let input = json!({"description": "deeper", "prompt": "DIG", "agent": "digger"});
    let play = Play::new(&[("subagents.run", input.clone())], &calls("DIG", "subagents.run", &input));
    play.world.user("agents/digger.md", "---\ntools: [subagents.run, std.ls]\n---\nDig.\n");
    play.world.user("config.toml", "[jobs]\nmax_depth = 2\nmax_parallel = 1\n");
    let result = play.one();
    assert!(result.contains("agents may be nested 2 deep"), "{result}");
    assert_eq!(play.model.asked().iter().filter(|asked| *asked == "DIG").count(), 4);
}

#[test]
fn a04_of_five_children_two_answer_and_three_have_errors() {
    let tasks = json!({"tasks": [
        {"prompt": "ONE"}, {"prompt": "TWO"}, {"prompt": "THREE"}, {"prompt": "FOUR", "model": "mad:m"},
        {"prompt": "FIVE", "budget": {"seconds": 0.2}},
    ]});
    let turns = "[[turn]]\nwhen = \"THREE\"\ntimes = 0\nsteps = [{ status = { code = 500, message = \"BROKE\" } }]\n\
                 [[turn]]\nwhen = \"FIVE\"\ntimes = 0\nsteps = [{ text = \"begun\" }, { gate = \"never\" }]\n";
    let play = Play::new(&[("subagents.run", tasks)], &(says("ONE", "FIRST") + &says("TWO", "SECOND") + turns));
    play.world.user(
        "extensions/mad.lua",
        "panto.ext.register_provider{name = 'mad', models = {'m'}, stream = function() error('MAD') end}",
    );
    let result = play.one();
    for told in ["FIRST", "SECOND", "BROKE", "MAD", "stopped after 200ms (timeout)"] {
        assert!(result.contains(told), "{told} in {result}");
    }
    assert_eq!(result.matches("status: completed").count(), 2, "{result}");
}

#[test]
fn budgets_of_profiles_and_calls_stop_a_child() {
    let wishes = [
        run("ONE", json!({"agent": "short"})),
        run("TWO", json!({"budget": {"tokens": 1}})),
        run("THREE", json!({"agent": "short", "budget": {"turns": 2}})),
    ];
    let lists = |word| {
        format!(
            "[[turn]]\nwhen = \"{word}\"\ntimes = 0\nsteps = [{{ text = \"so far\" }}, {{ tool = {{ name = \"std.ls\" }} }}]\n"
        )
    };
    let play = Play::new(&wishes, &["ONE", "TWO", "THREE"].map(lists).concat());
    play.world.user("agents/short.md", "---\nmax_turns: 1\n---\nShort.\n");
    let results = play.run();
    for (result, told) in
        results.iter().zip(["limit of 1 model requests", "limit of 1 tokens", "limit of 2 model requests"])
    {
        assert!(result.contains("status: limit") && result.contains(told) && result.contains("so far"), "{result}");
    }
}

#[test]
fn a_result_that_is_forced_is_paid_from_the_same_budget() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let wishes = [
        run("ONE", json!({"output_schema": schema, "budget": {"turns": 1}})),
        run("TWO", json!({"output_schema": schema, "budget": {"turns": 2}, "tools": []})),
        run("THREE", json!({"output_schema": schema, "budget": {"turns": 2}})),
    ];
    let forced = "[[turn]]\nwhen = \"Give your result now\"\ntimes = 0\nsteps = [{ tool = { name = \"emit_result\", input = { n = 3 } } }]\n";
    let words = ["ONE", "TWO", "THREE"].map(|word| says(word, "in words")).concat();
    let refused = says("not accepted", "in words again");
    let play = Play::new(&wishes, &(words + &refused + forced));
    let results = play.run();
    assert!(results[0].contains("limit of 1 model requests (max_turns), before it gave its result"), "{}", results[0]);
    assert!(results[0].contains("status: limit") && results[0].ends_with("in words"), "{}", results[0]);
    assert!(
        results[1].contains("limit of 2 model requests (max_turns), before its result was one that fits"),
        "{}",
        results[1]
    );
    assert!(results[2].ends_with("{\"n\":3}"), "{}", results[2]);
    let asked = play.model.asked();
    assert_eq!(asked.iter().filter(|asked| !asked.contains("PARENT")).count(), 5, "{asked:?}");
}

#[test]
fn a_profile_only_ever_narrows_what_a_child_may_do() {
    let wishes = [
        run("ONE", json!({"agent": "looker"})),
        run("TWO", json!({"agent": "looker"})),
        run("THREE", json!({"agent": "looker"})),
        run("FOUR", json!({"agent": "looker"})),
    ];
    let shell = |word, command: &str| calls(word, "std.shell", &json!({"command": command}));
    let turns = [
        shell("ONE", "echo yes && ls"),
        shell("TWO", "ls; touch made.txt"),
        shell("THREE", "ls > made.txt"),
        calls("FOUR", "std.write", &json!({"path": "made.txt", "content": "x"})),
    ];
    let play = Play::new(&wishes, &turns.concat());
    play.world.user("agents/looker.md", "---\ntools: [std.shell, std.write, std.read]\nallow: ['std.shell(ls*)', 'std.shell(echo *)']\ndeny: ['std.write']\n---\nLook.\n");
    let results = play.run();
    assert!(results[0].contains("yes"), "{}", results[0]);
    assert!(results[1].contains("no rule of `allow` lets `touch made.txt` run"), "{}", results[1]);
    for result in &results[2..] {
        assert!(result.contains("the rule `std.write` forbids it"), "{result}");
    }
    assert!(!play.world.project().join("made.txt").exists());
}

#[test]
fn a_profile_gives_nothing_that_the_session_forbids() {
    let mut play = Play::new(
        &[run("KID", json!({"agent": "bold"}))],
        &calls("KID", "std.write", &json!({"path": "made.txt", "content": "x"})),
    );
    play.world.user("agents/bold.md", "---\nallow: ['std.*']\n---\nBold.\n");
    play.world.set("PANTO_MODE", "plan");
    assert!(play.one().contains("plan mode"));
    assert!(!play.world.project().join("made.txt").exists());
}

#[test]
fn a08_of_a_childs_calls_one_is_cancelled_and_it_goes_on() {
    let sleeps = |n: u32| json!({"tool": {"name": "nap", "input": {"n": n}}});
    let turns = json!({"turn": [
        {"when": "KID", "on": "prompt", "steps": [sleeps(1), sleeps(2), sleeps(3)]},
        {"when": "KID", "on": "results", "steps": [{"text": "{{result.1}} / {{result.2}} / {{result.3}}"}]},
    ]});
    let play = Play::new(&[("probe", json!({}))], &toml::to_string(&turns).expect("TOML"));
    play.world.user(
        "extensions/probe.lua",
        "local running = panto.task.channel(9)
        panto.register_tool{name = 'nap', description = 'd', schema = {type = 'object'}, handler = function(input)
            running:send(true)
            if input.n == 2 then panto.task.sleep(600) end
            return 'slept ' .. input.n
        end}
        panto.register_tool{name = 'probe', description = 'd', schema = {type = 'object'}, handler = function()
            local agent = panto.agent{config = assert(panto.ext.resolve_model{model = 'env:child'}), store = panto.null_store()}
            agent:set_tools(panto.ext.agent:tools())
            local job, second = agent:run_async{prompt = 'KID'}, nil
            while not second do
                local event = job:await_event()
                second = event.type == 'tool_start' and event.input.n == 2 and event.call_id
            end
            for _ = 1, 3 do running:receive() end
            job:cancel_call(second)
            return job:await().text
        end}",
    );
    assert_eq!(play.one(), "slept 1 / cancelled by the user / slept 3");
}

#[test]
fn a10_what_a_child_leaves_running_ends_with_the_program() {
    let command = "sleep 998.25 & echo started $!";
    let play = Play::new(&[run("KID", json!({}))], &calls("KID", "std.shell", &json!({"command": command})));
    let result = play.one();
    let pid = result.split("started ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a number");
    let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    assert!(!line.contains("998.25"), "it still runs: {line}");
}

#[test]
fn a_child_whose_conversation_is_too_long_sums_up_and_goes_on() {
    let turns = r#"
        [[turn]]
        when = "<conversation>"
        times = 0
        steps = [{ text = "NOTES-OF-KID" }]
        [[turn]]
        when = "KID"
        on = "prompt"
        steps = [{ tool = { name = "std.shell", input = { command = "seq 1 200" } } }]
        [[turn]]
        when = "KID"
        on = "results"
        steps = [{ tool = { name = "std.shell", input = { command = "seq 1 200" } } }]
        [[turn]]
        when = "KID"
        on = "results"
        steps = [{ status = { code = 400, message = "prompt is too long: 210000 tokens > 200000 maximum" } }]
        [[turn]]
        when = "Summary"
        steps = [{ text = "ANSWER" }]
    "#;
    let play = Play::new(&[run("KID", json!({}))], turns);
    assert!(play.one().contains("ANSWER"));
    let after = &play.bodies("NOTES-OF-KID")[0];
    assert!(after["messages"].to_string().contains("word for word\\n\\nKID"), "{after}");
    let text = std::fs::read_to_string(&play.kids()[0]).expect("the child's file");
    assert!(text.contains(r#""type":"compaction""#), "{text}");
}

/// Each answer of `shop:m` costs $0.40.
fn priced(play: &Play) {
    let url = &play.world.env()["PANTO_BASE_URL"];
    play.world.user(
        "config.toml",
        &format!(
            "[agent]\nmax_cost = 1.0\n[network]\nretries = 0\n[providers.shop]\nbase_url = \"{url}\"\napi_key = \"sk-test\"\n\
             models = [{{ id = \"m\", context = 100000, output = 1000, price = {{ input = 4000, output = 0, cache_read = 0, cache_write = 0 }} }}]\n"
        ),
    );
}

#[test]
fn the_budget_of_a_session_is_one_with_its_children_and_known_after_a_restart() {
    let lists = "[[turn]]\nwhen = \"KID\"\ntimes = 0\nsteps = [{ tool = { name = \"std.ls\" } }]\n";
    let one = |n: u32| json!({"description": "d", "prompt": format!("KID-{n}"), "model": "shop:m"});
    let play = Play::new(&[("subagents.run", json!({"tasks": [one(1), one(2), one(3)]}))], lists);
    priced(&play);
    let mut t = open(&play.world, &[], (110, 30));
    t.submit("PARENT").wait("stopped at the limit of $1.00 a session (agent.max_cost)").wait("type a prompt");
    let asked = play.bodies("").iter().filter(|body| body["model"] == "m").count();
    // Three that run side by side can each have a request under way when the sum is reached.
    assert!((3..=5).contains(&asked), "{asked} answers were paid for");
    let footer = format!("${:.2}", 0.4 * asked as f64);
    t.wait(&footer);
    quit(t);
    open(&play.world, &["-c"], (110, 30)).wait(&footer);
}

#[test]
fn a_child_that_the_user_goes_on_with_is_held_to_its_limits() {
    let lists = "[[turn]]\nwhen = \"MORE\"\ntimes = 0\nsteps = [{ tool = { name = \"std.ls\" } }]\n";
    let play = Play::new(&[run("KID", json!({"budget": {"turns": 2}}))], &(lists.to_owned() + &says("KID", "ANSWER")));
    let limited = "stopped at the limit of 2 model requests";
    let mut t = open(&play.world, &[], (110, 30));
    t.submit("PARENT").wait("END").wait("type a prompt").key("ctrl-x").key("1").wait("Enter resumes");
    t.submit("MORE").wait(limited);
    assert_eq!(play.bodies("MORE").len(), 2);
    quit(t);
    // Its file knows them as well.
    let mut t = open(&play.world, &["-c"], (110, 30));
    t.submit("/jobs").wait("of an earlier run").key("enter").wait("Enter resumes").submit("MORE again").wait(limited);
    assert_eq!(play.bodies("MORE again").len(), 2);
    quit(t);
}
