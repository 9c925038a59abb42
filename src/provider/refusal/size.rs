//! "It does not fit": the words that servers have for a conversation that is longer than the model's window, for a
//! request of too many bytes, and for pictures that they don't take.

/// The wordings of "the conversation does not fit the window", in lower case.
const OVERFLOW: [&str; 32] = [
    "context_length_exceeded",
    "context length exceeded",
    "contextwindowexceeded",
    "exceed_context_size_error",
    "maximum context length",
    "max context length",
    "maximum prompt length is",
    "maximum model length of",
    "exceeds the context window",
    "exceed the context window",
    "exceeds the model's context",
    "exceed context limit",
    "exceed context window",
    "exceeds the available context size",
    "greater than the context length",
    "longer than the model's context length",
    "context window of",
    "context window exceeds limit",
    "context size has been exceeded",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input tokens exceed",
    "input token count",
    "prompt token count",
    "input length (",
    "exceeded model token limit",
    "too large for model with",
    "reduce the length of the messages",
    "reduce the length of the input",
    "max_new_tokens` must be <=",
    "model_context_window_exceeded",
];

/// What must be said beside a few of them, which mean other things alone.
const ALSO: [(&str, &str); 3] =
    [("input token count", "exceed"), ("prompt token count", "exceed"), ("input length (", "exceed")];

/// What stands right before the number of the window's tokens, in lower case.
const BEFORE_WINDOW: [&str; 20] = [
    "maximum context length is ",
    "maximum context length of ",
    "maximum context length: ",
    "max context length is ",
    "maximum prompt length is ",
    "maximum model length of ",
    "context window of ",
    "context window is ",
    "context length of only ",
    "context length (",
    "context length is only ",
    "context size (",
    "number of tokens allowed (",
    "maximum allowed length (",
    "exceeds the limit of ",
    "model token limit: ",
    "too large for model with ",
    "must be <= ",
    "tokens > ",
    "exceed context limit: ",
];

/// Words of servers that take no picture, or not this one; with "image" beside them.
const PICTURE: [&str; 13] = [
    "too large",
    "exceeds",
    "exceed",
    "could not process",
    "unable to process",
    "dimension",
    "invalid image",
    "unsupported image",
    "not support",
    "maximum number of images",
    "too many images",
    "cannot read",
    "failed to",
];

pub fn means_overflow(said: &str) -> bool {
    let says = |part: &&&str| said.contains(**part) && ALSO.iter().all(|(a, b)| a != *part || said.contains(b));
    OVERFLOW.iter().any(|part| says(&part))
}

/// Whether it is the bytes of the request that are too many, or a picture that is not taken.
pub fn means_too_large(said: &str, status: Option<u16>) -> bool {
    let picture = said.contains("image") && PICTURE.iter().any(|part| said.contains(part));
    status == Some(413) || said.contains("request_too_large") || (picture && !matches!(status, Some(401 | 403 | 404)))
}

/// Tokens of the window, where the words name them.
pub fn window(said: &str) -> Option<u64> {
    BEFORE_WINDOW.iter().find_map(|part| {
        let at = said.find(part)? + part.len();
        let rest = &said[at..];
        // `188240 + 21333 > 200000`
        let rest = rest.split_once(" > ").filter(|(sum, _)| sum.contains(" + ")).map_or(rest, |(_, limit)| limit);
        let digits: String =
            rest.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(char::is_ascii_digit).collect();
        digits.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflow_in_everybodys_words_and_the_window_where_it_is_named() {
        for (words, named) in [
            (
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000.",
                Some(8192),
            ),
            (
                "This endpoint's maximum context length is 131,072 tokens. However, you requested about 140000",
                Some(131_072),
            ),
            ("prompt is too long: 210000 tokens > 200000 maximum", Some(200_000)),
            ("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease", Some(200_000)),
            ("Your input exceeds the context window of this model.", None),
            (
                "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
                Some(1_048_575),
            ),
            ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", Some(131_072)),
            ("Please reduce the length of the messages or completion.", None),
            ("prompt token count of 150000 exceeds the limit of 128000", Some(128_000)),
            ("the request exceeds the available context size, try increasing it", None),
            ("request (5000 tokens) exceeds the available context size (4096 tokens)", Some(4096)),
            ("tokens to keep from the initial prompt is greater than the context length", None),
            ("Your request exceeded model token limit: 131072 (requested: 140000)", Some(131_072)),
            ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", Some(32_768)),
            ("invalid params, context window exceeds limit (2013)", None),
            ("Input is too long for requested model.", None),
            ("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", Some(4096)),
            ("Input length (5000 tokens) exceeds the maximum allowed length (4096 tokens).", Some(4096)),
            ("The input (5000 tokens) is longer than the model's context length (4096 tokens).", Some(4096)),
            ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens", Some(4096)),
            ("Requested tokens (9000) exceed context window of 8192", Some(8192)),
            ("prompt too long; exceeded max context length by 123 tokens", None),
        ] {
            let said = words.to_lowercase();
            assert!(means_overflow(&said), "{words}");
            assert_eq!(window(&said), named, "{words}");
        }
    }

    #[test]
    fn what_else_is_said_is_no_overflow() {
        for words in [
            "max_tokens is too large: 100000",
            "input token count is missing",
            "messages.3.content.1: tool_use without tool_result",
            "string too long. expected a string with maximum length 64",
        ] {
            assert!(!means_overflow(&words.to_lowercase()), "{words}");
        }
    }

    #[test]
    fn pictures_and_bytes() {
        for (words, status, so) in [
            ("messages.0.content.1.image.source.base64: image exceeds 5 mb maximum", Some(400), true),
            ("could not process image", Some(400), true),
            ("this model does not support image input", Some(400), true),
            ("request exceeds the maximum size", Some(413), true),
            ("no", Some(400), false),
            ("invalid image key", Some(401), false),
        ] {
            assert_eq!(means_too_large(words, status), so, "{words}");
        }
    }
}
