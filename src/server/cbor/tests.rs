use super::*;
use proptest::prelude::*;
use serde_json::json;

fn refusal(bytes: &[u8]) -> String {
    decode(bytes).expect_err("refused").0
}

#[test]
fn what_is_written_is_read_back() {
    let value = json!({"type": "request", "id": 1, "big": 9_007_199_254_740_992_i64, "low": -9_007_199_254_740_992_i64,
        "f": 1.5, "t": true, "n": null, "list": [1, "zwei", [], {}], "é": "\u{1F525}"});
    assert_eq!(decode(&encode(&value)), Ok(value));
}

#[test]
fn each_rule_is_held() {
    let cases: [(&[u8], &str); 12] = [
        (b"\xbf\x61a\x01\xff", "definite"),
        (b"\x9f\x01\xff", "definite"),
        (b"\x7f\x61a\xff", "definite"),
        (b"\xa2\x61a\x01\x61a\x02", "twice"),
        (b"\xa1\x01\x01", "text"),
        (b"\xc1\x01", "tags"),
        (b"\x1b\x10\x00\x00\x00\x00\x00\x00\x00", "2^53"),
        (b"\x3b\x10\x00\x00\x00\x00\x00\x00\x00", "2^53"),
        (b"\xf9\x7e\x00", "NaN"),
        (b"\xf9\x7c\x00", "infinities"),
        (b"\x01\x01", "follow"),
        (b"\xff\xff\xff\xff", "definite"),
    ];
    for (bytes, why) in cases {
        let told = refusal(bytes);
        assert!(told.contains(why), "{bytes:x?}: {told}");
    }
    for bytes in [b"".as_slice(), b"\x61", b"\xa1\x61a", b"\x62\xff\xfe", b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff"] {
        refusal(bytes);
    }
}

#[test]
fn values_are_bounded() {
    let many = |n: u32| [&[0x9a][..], &n.to_be_bytes(), &vec![0x80; n as usize]].concat();
    assert!(decode(&many(100_000)).is_ok());
    assert!(refusal(&many(1_000_000)).contains("values"));
}

#[test]
fn levels_are_bounded_both_ways() {
    let deep = |n: usize| [vec![0x81; n], vec![1]].concat();
    assert!(decode(&deep(DEPTH)).is_ok());
    assert!(refusal(&deep(DEPTH + 1)).contains("levels"));
    refusal(&[0x81; 1 << 20]);
    let nested = (0..200).fold(json!(1), |value, _| json!([value]));
    assert!(decode(&encode(&nested)).is_ok());
}

#[test]
fn integers_beyond_the_rule_are_told_as_floats() {
    assert_eq!(decode(&encode(&json!(u64::MAX))), Ok(json!(u64::MAX as f64)));
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-(1_i64 << 53)..=1 << 53).prop_map(Value::from),
        any::<f64>().prop_filter("finite", |f| f.is_finite()).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(".{0,6}", inner, 0..6).prop_map(|m| m.into_iter().collect::<Value>()),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_survives(value in values()) {
        prop_assert_eq!(decode(&encode(&value)), Ok(value));
    }

    #[test]
    fn no_bytes_break_the_decoder(bytes in proptest::collection::vec(any::<u8>(), 0..256)) {
        let _ = decode(&bytes);
    }

    /// A frame with some of its bytes changed is refused or is another value, and never more than that.
    #[test]
    fn no_change_breaks_the_decoder(value in values(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = encode(&value);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = decode(&bytes) {
            prop_assert_eq!(decode(&encode(&read)), Ok(read));
        }
        bytes.truncate(at);
        prop_assert!(decode(&bytes).is_err() || at > 0);
    }
}
