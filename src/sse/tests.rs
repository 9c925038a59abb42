use super::*;

type Seen = Vec<(String, String)>;

fn decode(chunks: &[&[u8]]) -> Seen {
    let (mut decoder, mut seen) = (Decoder::new(), Vec::new());
    for chunk in chunks {
        decoder.feed(chunk, &mut |e| seen.push((e.name.to_owned(), e.data.to_owned()))).expect("small events");
    }
    seen
}

/// Whole, byte by byte, and cut in two at each place: always the same events.
fn same_however_cut(bytes: &[u8]) -> Seen {
    let whole = decode(&[bytes]);
    assert_eq!(decode(&bytes.chunks(1).collect::<Vec<_>>()), whole);
    for at in 0..=bytes.len() {
        assert_eq!(decode(&[&bytes[..at], &bytes[at..]]), whole, "cut at {at}");
    }
    whole
}

fn data(bytes: &[u8]) -> Vec<String> {
    same_however_cut(bytes).into_iter().map(|(_, data)| data).collect()
}

#[test]
fn line_ends() {
    for text in ["data: a\n\ndata: b\n\n", "data: a\r\rdata: b\r\r", "data: a\r\n\r\ndata: b\r\n\r\n"] {
        assert_eq!(data(text.as_bytes()), ["a", "b"], "{text:?}");
    }
    assert_eq!(data(b"data: a\r\ndata: b\n\r\n"), ["a\nb"]);
}

#[test]
fn crlf_cut_in_two_is_one_line_end() {
    assert_eq!(decode(&[b"data: a\r", b"\ndata: b\r", b"", b"\n\r\n"]), [(String::new(), "a\nb".to_owned())]);
}

#[test]
fn fields() {
    assert_eq!(data(b": comment\n\ndata:x\ndata: y\ndata\nid: 3\nretry: 5\nother: 1\n\n"), ["x\ny\n"]);
    assert_eq!(
        same_however_cut(b"event: e\ndata: 1\n\ndata: 2\n\n"),
        [("e".to_owned(), "1".to_owned()), (String::new(), "2".to_owned())]
    );
    assert_eq!(data(b"data: : keepalive\n\n"), [": keepalive"]);
    assert_eq!(data(b"event: lonely\n\n"), Vec::<String>::new());
}

#[test]
fn an_error_as_a_field_of_its_own() {
    let error = [("error".to_owned(), "{\"code\":500}".to_owned())];
    assert_eq!(same_however_cut(b"error: {\"code\":500}\n\n"), error);
}

#[test]
fn bom_only_at_the_start() {
    assert_eq!(data(b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n"), ["a"]);
}

#[test]
fn text_cut_inside_a_character() {
    assert_eq!(data("data: 你好 🌍\n\n".as_bytes()), ["你好 🌍"]);
    assert_eq!(data(b"data: \xff\n\n"), ["\u{fffd}"]);
}

#[test]
fn unterminated_tail_is_no_event() {
    let mut decoder = Decoder::new();
    decoder.feed(b"data: a\n\ndata: lo", &mut |e| assert_eq!(e.data, "a")).expect("small");
    assert!(decoder.holds_tail());
    let mut rest = Vec::new();
    decoder.rest(&mut |e| rest.push(e.data.to_owned()));
    assert_eq!((rest, decoder.holds_tail()), (vec!["lo".to_owned()], false));
}

#[test]
fn memory_is_bounded() {
    let (mut decoder, chunk) = (Decoder::new(), vec![b'x'; 1 << 20]);
    decoder.feed(b"data: ", &mut |_| ()).expect("small");
    let fed = (0..20).take_while(|_| decoder.feed(&chunk, &mut |_| ()).is_ok()).count();
    assert_eq!(fed, 15);
}
