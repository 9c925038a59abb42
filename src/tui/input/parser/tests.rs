//! Recorded bytes of terminals, as keys.

use super::*;
use crate::tui::input::{Answer, Mouse, MouseKind};

fn all(bytes: &[u8]) -> Vec<Input> {
    Parser::default().feed(bytes, Instant::now())
}

fn keys(names: &str) -> Vec<Input> {
    names.split_whitespace().map(|n| Input::Key(n.parse().expect("a key's name"))).collect()
}

/// What is left to decide after `ms`.
fn later(parser: &mut Parser, start: Instant, ms: u64) -> Vec<Input> {
    parser.expire(start + Duration::from_millis(ms))
}

#[test]
fn every_encoding_of_a_key() {
    let rows: &[(&[u8], &str)] = &[
        (b"a", "a"),
        ("é你".as_bytes(), "é 你"),
        (b"\r", "enter"),
        (b"\n", "ctrl-j"),
        (b"\t", "tab"),
        (b"\x7f\x08", "backspace backspace"),
        (b"\x03\x1a\x00\x1f", "ctrl-c ctrl-z ctrl-space ctrl-_"),
        (b"\x1bx\x1bX", "alt-x alt-X"),
        (b"\x1b\r", "alt-enter"),
        (b"\x1b\x7f", "alt-backspace"),
        (b"\x1b[A\x1bOA\x1b[1;3A\x1b[1;5D", "up up alt-up ctrl-left"),
        (b"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1bOH", "home end home end home"),
        (b"\x1b[5~\x1b[6~\x1b[3~", "pgup pgdn delete"),
        (b"\x1b[Z", "shift-tab"),
        (b"\x1bOP\x1b[15~\x1b[24~\x1b[[A\x1b[1;2R", "f1 f5 f12 f1 shift-f3"),
        (b"\x1b[13;2u", "shift-enter"),
        (b"\x1b[99;5u\x1b[27u\x1b[97:65;2u", "ctrl-c esc A"),
        (b"\x1b[27;2;13~\x1b[27;5;109~", "shift-enter ctrl-m"),
        (b"\x1bOM", "enter"),
    ];
    for (bytes, names) in rows {
        assert_eq!(all(bytes), keys(names), "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn t23_newline_keys_are_not_enter() {
    for bytes in [b"\x1b[13;2u".as_slice(), b"\x1b[27;2;13~", b"\x1b\r", b"\n"] {
        let inputs = all(bytes);
        assert_eq!(inputs.len(), 1);
        assert_ne!(inputs, keys("enter"));
    }
    assert_eq!(all(b"\x1b[13;1:3u"), [], "a release is no press");
}

#[test]
fn t29_escape_prefixed_keys() {
    let (mut p, start) = (Parser::default(), Instant::now());
    assert_eq!(p.feed(b"\x1b\x1b[A", start), keys("alt-up"));
    assert_eq!(p.feed(b"\x1b", start), []);
    assert_eq!(p.feed(b"x", start + Duration::from_millis(2)), keys("alt-x"));
    assert_eq!(p.feed(b"\x1b", start), []);
    assert!(p.deadline().unwrap() <= start + Duration::from_millis(50));
    assert_eq!(later(&mut p, start, 10), []);
    assert_eq!(later(&mut p, start, 50), keys("esc"));
    assert_eq!(p.deadline(), None);
}

#[test]
fn two_escapes_are_two() {
    let (mut p, start) = (Parser::default(), Instant::now());
    assert_eq!(p.feed(b"\x1b\x1b", start), []);
    assert_eq!(later(&mut p, start, 50), keys("esc esc"));
}

#[test]
fn sequences_cut_anywhere() {
    let whole = "é\x1b[1;3A\x1b[<0;5;7M\x1b]11;rgb:1111/1111/1111\x1b\\\x1b[200~a\x1bb\r\nc\x1b[201~x".as_bytes();
    for cut in 1..whole.len() {
        let (mut p, start) = (Parser::default(), Instant::now());
        let mut inputs = p.feed(&whole[..cut], start);
        inputs.extend(later(&mut p, start, 2));
        inputs.extend(p.feed(&whole[cut..], start + Duration::from_millis(2)));
        assert_eq!(inputs, all(whole), "cut at {cut}");
    }
}

#[test]
fn answers_are_never_typed() {
    assert_eq!(all(b"\x1b]11;rgb:1111/ffff/0000\x1b\\"), [Input::Answer(Answer::Background(17, 255, 0))]);
    assert_eq!(all(b"\x1b]11;rgb:f/f/f\x07"), [Input::Answer(Answer::Background(255, 255, 255))]);
    assert_eq!(all(b"\x1b[?1u"), [Input::Answer(Answer::KeyboardFlags(1))]);
    let unwanted: &[&[u8]] = &[
        b"\x1b[?62;22c",
        b"\x1b[>1;10;0c",
        b"\x1b[?2026;2$y",
        b"\x1b[12;40R",
        b"\x1b[0n",
        b"\x1b[4;600;800t",
        b"\x1b[?997;1n",
        b"\x1bP>|xterm(1)\x1b\\",
        b"\x1bP0+r\x1b\\",
        b"\x1b]10;rgb:dddd/dddd/dddd\x1b\\",
        b"\x1b]52;c;c2VjcmV0\x07",
        b"\x1b_Gi=1;OK\x1b\\",
        b"\x1b[201~",
        b"\xff\xfe\x9b",
    ];
    for bytes in unwanted {
        assert_eq!(all(bytes), [], "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn half_an_answer_is_dropped() {
    let (mut p, start) = (Parser::default(), Instant::now());
    assert_eq!(p.feed(b"\x1b]11;rgb:11", start), []);
    assert_eq!(later(&mut p, start, 50), []);
    assert_eq!(later(&mut p, start, 1000), []);
    assert_eq!(p.feed(b"x", start + Duration::from_millis(1001)), keys("x"));
}

#[test]
fn esc_before_an_answer_stays_esc() {
    let bytes = b"\x1b\x1b]11;rgb:0/0/0\x1b\\";
    assert_eq!(all(bytes), [keys("esc")[0].clone(), Input::Answer(Answer::Background(0, 0, 0))]);
}

#[test]
fn mouse_and_focus() {
    let mouse = |kind, column, row| Input::Mouse(Mouse { kind, column, row });
    use MouseKind::*;
    assert_eq!(
        all(b"\x1b[<0;5;7M\x1b[<32;6;7M\x1b[<0;6;7m"),
        [mouse(Press, 4, 6), mouse(Drag, 5, 6), mouse(Release, 5, 6)]
    );
    assert_eq!(
        all(b"\x1b[<64;1;1M\x1b[<65;1;1M\x1b[<2;1;1M"),
        [mouse(WheelUp, 0, 0), mouse(WheelDown, 0, 0), mouse(Other, 0, 0)]
    );
    assert_eq!(all(b"\x1b[M !!"), [mouse(Press, 0, 0)]);
    assert_eq!(all(b"\x1b[I\x1b[O"), [Input::Focus(true), Input::Focus(false)]);
}

#[test]
fn t14_a_paste_with_an_end_mark_inside() {
    let mut inputs = all(b"\x1b[200~a\x1b[201~\rrm -rf x\x1b[201~").into_iter();
    assert_eq!(inputs.next(), Some(Input::Paste("a".into())));
    assert!(inputs.all(|i| matches!(i, Input::Key(_))), "the stray mark is dropped");
}

#[test]
fn t14_a_paste_never_ended_times_out() {
    let (mut p, start) = (Parser::default(), Instant::now());
    assert_eq!(p.feed(b"\x1b[200~never \x1b]0;x\x07ended", start), []);
    assert_eq!(later(&mut p, start, 500), []);
    assert_eq!(later(&mut p, start, 1000), [Input::Paste("never ]0;xended".into())]);
    assert_eq!(p.feed(b"\x1b[201~b", start + Duration::from_secs(2)), keys("b"));
}

#[test]
fn t13_a_megabyte_in_small_reads() {
    let body = "漢字 and ascii\n".repeat(60_000);
    let bytes = [b"\x1b[200~", body.as_bytes(), b"\x1b[201~"].concat();
    let (mut p, start) = (Parser::default(), Instant::now());
    let inputs: Vec<_> = bytes.chunks(1024).flat_map(|c| p.feed(c, start)).collect();
    assert_eq!(inputs, [Input::Paste(body)]);
}

#[test]
fn any_bytes_at_all() {
    proptest::proptest!(|(bytes: Vec<u8>)| {
        let (mut p, start) = (Parser::default(), Instant::now());
        p.feed(&bytes, start);
        later(&mut p, start, 5000);
        later(&mut p, start, 9000);
        proptest::prop_assert_eq!(p.deadline(), None);
    });
}
