//! Which bytes are in a class (`%a`) or a set (`[a-z_]`), in the C locale.

/// `set`: what lies between the brackets.
pub(super) fn in_set(byte: u8, set: &[u8]) -> bool {
    let (negated, mut rest) = match set {
        [b'^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    loop {
        let (fits, after) = match rest {
            [] => return negated,
            [b'%', class, after @ ..] => (in_class(byte, *class), after),
            [low, b'-', high, after @ ..] => ((*low..=*high).contains(&byte), after),
            [plain, after @ ..] => (*plain == byte, after),
        };
        if fits {
            return !negated;
        }
        rest = after;
    }
}

pub(super) fn in_class(byte: u8, class: u8) -> bool {
    let fits = match class.to_ascii_lowercase() {
        b'a' => byte.is_ascii_alphabetic(),
        b'c' => byte.is_ascii_control(),
        b'd' => byte.is_ascii_digit(),
        b'g' => byte.is_ascii_graphic(),
        b'l' => byte.is_ascii_lowercase(),
        b'p' => byte.is_ascii_punctuation(),
        b's' => matches!(byte, b'\t'..=b'\r' | b' '),
        b'u' => byte.is_ascii_uppercase(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'x' => byte.is_ascii_hexdigit(),
        b'z' => byte == 0, // deprecated, and still understood
        _ => return class == byte,
    };
    fits != class.is_ascii_uppercase()
}
