use super::*;

fn roles(language: &str, lines: &[&str]) -> Vec<Vec<(String, Role)>> {
    let highlighter = Highlighter::new();
    let mut state = highlighter.begin(language);
    let mut parts = vec![];
    let mut one = |line: &&str| {
        highlighter.line(&mut state, line, &mut parts);
        assert_eq!(parts.iter().map(|(n, _)| n).sum::<usize>(), line.len(), "{line}");
        let mut at = 0;
        let cut = parts.iter().map(|(n, role)| {
            at += n;
            (line[at - n..at].to_owned(), *role)
        });
        cut.collect()
    };
    lines.iter().map(&mut one).collect()
}

/// The role of each word of a line, blanks left out.
fn role_of(language: &str, line: &str, part: &str) -> Role {
    let parts = roles(language, &[line]).remove(0);
    let found = parts.iter().find(|(text, _)| text == part);
    found.unwrap_or_else(|| panic!("no part `{part}` in {parts:?}")).1
}

#[test]
fn rust_words() {
    let line = r##"#[test] pub fn go<'a>(x: &'a str) -> Foo { let c = 'x'; println!("{}", 1.5e3, MAX); r#"raw "q""# } // end"##;
    for (part, role) in [
        ("#[test]", Role::SyntaxAttribute),
        ("pub", Role::SyntaxKeyword),
        ("go", Role::SyntaxFunction),
        ("'a", Role::SyntaxAttribute),
        ("str", Role::SyntaxType),
        ("Foo", Role::SyntaxType),
        ("'x'", Role::SyntaxString),
        ("println", Role::SyntaxFunction),
        ("\"{}\"", Role::SyntaxString),
        ("1.5e3", Role::SyntaxNumber),
        ("MAX", Role::SyntaxConstant),
        ("r#\"raw \"q\"\"#", Role::SyntaxString),
        ("// end", Role::SyntaxComment),
    ] {
        assert_eq!(role_of("rust", line, part), role, "{part}");
    }
}

#[test]
fn comments_and_quotes_go_over_lines() {
    let lines = roles("rs", &["a /* one", "two", "three */ b"]);
    assert_eq!(lines[1], [("two".to_owned(), Role::SyntaxComment)]);
    assert_eq!(lines[2].last(), Some(&("b".to_owned(), Role::SyntaxVariable)));
    let lines = roles("python", &["x = \"\"\"doc", "more", "end\"\"\" + y", "'open", "z"]);
    assert_eq!(lines[1], [("more".to_owned(), Role::SyntaxString)]);
    assert_eq!(lines[2][0].1, Role::SyntaxString);
    assert_eq!(lines[4], [("z".to_owned(), Role::SyntaxVariable)], "an open quote ends with its line");
    assert_eq!(roles("c", &["/*", "x */ int y"])[1][0].1, Role::SyntaxComment);
}

#[test]
fn shell_commands_options_and_variables() {
    let line = "git commit -m \"x\" | grep --color $HOME/a#b # note";
    for (part, role) in [
        ("git", Role::SyntaxFunction),
        (" commit ", Role::CodeBlock),
        ("-m", Role::SyntaxAttribute),
        ("grep", Role::SyntaxFunction),
        ("--color", Role::SyntaxAttribute),
        ("$HOME", Role::SyntaxVariable),
        ("# note", Role::SyntaxComment),
    ] {
        assert_eq!(role_of("sh", line, part), role, "{part}");
    }
}

#[test]
fn keys_of_data_languages() {
    assert_eq!(role_of("json", r#"{"a": "b"}"#, "\"a\""), Role::SyntaxAttribute);
    assert_eq!(role_of("json", r#"{"a": "b"}"#, "\"b\""), Role::SyntaxString);
    assert_eq!(role_of("yaml", "  - name: x", "name"), Role::SyntaxAttribute);
    assert_eq!(role_of("toml", "key = true", "key"), Role::SyntaxAttribute);
    assert_eq!(role_of("toml", "key = true", "true"), Role::SyntaxConstant);
}

#[test]
fn markup_and_diffs() {
    let line = "<a href=\"x\">text</a><!-- c -->";
    for (part, role) in [
        ("a", Role::SyntaxTag),
        ("href", Role::SyntaxAttribute),
        ("\"x\"", Role::SyntaxString),
        ("text", Role::CodeBlock),
        ("<!-- c -->", Role::SyntaxComment),
    ] {
        assert_eq!(role_of("html", line, part), role, "{part}");
    }
    assert_eq!(role_of("diff", "+new", "+new"), Role::SyntaxInserted);
    assert_eq!(role_of("diff", "-old", "-old"), Role::SyntaxDeleted);
}

#[test]
fn sql_in_any_case_and_info_strings() {
    assert_eq!(role_of("SQL", "SELECT a From b", "From"), Role::SyntaxKeyword);
    assert_eq!(role_of("rust,ignore", "let x", "let"), Role::SyntaxKeyword);
    assert_eq!(role_of("js {1,3}", "let x", "let"), Role::SyntaxKeyword);
    assert_eq!(role_of(".py", "def x", "def"), Role::SyntaxKeyword);
    assert_eq!(role_of("text", "let x", "let x"), Role::CodeBlock);
    assert_eq!(language_of("a/b.c/Dockerfile"), "Dockerfile");
    assert_eq!(language_of("src/main.rs"), "rs");
}

#[test]
fn other_languages_wait_for_the_grammars() {
    let highlighter = Highlighter::new();
    let line = "\\section{x} % note";
    let mut parts = vec![];
    highlighter.line(&mut highlighter.begin("latex"), line, &mut parts);
    assert_eq!(parts, [(line.len(), Role::CodeBlock)]);
    assert!(highlighter.wants_grammars());
    highlighter.warm();
    assert!(!highlighter.wants_grammars() && highlighter.is_ready());
    highlighter.line(&mut highlighter.begin("latex"), line, &mut parts);
    assert_eq!(parts.iter().map(|(n, _)| n).sum::<usize>(), line.len());
    assert!(parts.iter().any(|(_, role)| *role == Role::SyntaxComment), "{parts:?}");
}

#[test]
fn no_name_stands_for_two_languages() {
    let mut names: Vec<_> = tables::all().flat_map(|l| l.names.split(' ')).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
    assert!(tables::all().count() >= 38);
}

#[test]
fn long_lines_stay_plain() {
    let line = "x".repeat(LONGEST + 1);
    assert_eq!(roles("rust", &[&line])[0], [(line, Role::CodeBlock)]);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn t07_any_line_in_any_language_is_covered(lines in proptest::collection::vec("\\PC{0,40}", 0..6), pick in 0usize..100) {
        let all: Vec<_> = tables::all().collect();
        let language = all[pick % all.len()];
        roles(language.names.split(' ').next().unwrap_or_default(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
