//! The page for people who write clients (`panto serve --protocol`), which tests hold to the code both ways.

/// Markdown.
pub const PROTOCOL: &str = include_str!("../../assets/protocol.md");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        backend::Code,
        server::{cbor, events, frame, method, wire},
    };
    use serde_json::json;

    /// Names in the first column of the tables below a heading.
    fn table(heading: &str) -> Vec<String> {
        let (_, rest) = PROTOCOL.split_once(&format!("\n## {heading}\n")).expect("a heading");
        let section = rest.split("\n## ").next().unwrap_or_default();
        let names = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        let mut names: Vec<String> = names.map(|(name, _)| name.to_owned()).collect();
        names.sort();
        names
    }

    fn sorted<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        names.sort();
        names
    }

    #[test]
    fn each_method_is_on_the_page_and_no_other() {
        assert_eq!(table("Methods"), method::names());
        for name in method::names() {
            let refusal = method::call(&name, serde_json::Map::new()).err();
            assert!(!refusal.is_some_and(|why| why.message.starts_with("there is no method")), "{name}");
        }
    }

    #[test]
    fn each_parameter_is_on_the_page_and_no_other() {
        for (name, columns) in PROTOCOL.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | ")) {
            if !method::names().contains(&name.to_owned()) {
                continue;
            }
            let column = columns.split(" | ").next().filter(|_| !columns.starts_with('|')).unwrap_or_default();
            let params = column.split(", `").map(|param| param.trim_matches(['`', ' ']).split(['`', ' ']).next());
            let named: Vec<&str> = params.flatten().filter(|param| !param.is_empty()).collect();
            let surprise = json!({"surprise": 1});
            let why =
                method::call(name, surprise.as_object().cloned().unwrap_or_default()).expect_err("refused").message;
            // The refusal lists what there is, if there is anything.
            let expected = why.split_once("expected").map_or("", |(_, expected)| expected);
            let known = sorted(expected.split('`').skip(1).step_by(2));
            assert_eq!(known, sorted(named.iter().map(|param| param.trim_end_matches('?'))), "{name}: {why}");
        }
    }

    #[test]
    fn each_event_is_on_the_page_and_no_other() {
        assert_eq!(table("Events"), sorted(events::NAMES));
        for name in events::NAMES.iter().filter(|name| **name != "server_changed") {
            let source = include_str!("events.rs");
            assert!(source.matches(&format!("\"{name}\"")).count() >= 3, "{name} is listed but not sent or not read");
        }
    }

    #[test]
    fn each_code_is_on_the_page_and_no_other() {
        let codes = [
            Code::Busy,
            Code::SessionLocked,
            Code::NotFound,
            Code::InvalidRequest,
            Code::SessionUnreadable,
            Code::Internal,
        ];
        let faults = codes.map(wire::Fault::Backend).into_iter();
        let faults = faults.chain([wire::Fault::Auth, wire::Fault::Version, wire::Fault::TooLarge]);
        assert_eq!(table("Requests"), sorted(faults.map(wire::Fault::name)));
    }

    #[tokio::test]
    async fn the_frame_in_hex_is_what_the_page_says() {
        let (_, rest) = PROTOCOL.split_once("```hex\n").expect("a frame");
        let digits: String = rest.split("```").next().unwrap_or_default().split_whitespace().collect();
        let bytes: Vec<u8> =
            (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex")).collect();
        let frame = frame::read(&mut bytes.as_slice()).await.expect("a frame").expect("a frame");
        let said = json!({"type": "request", "id": 1, "method": "list", "params": {}});
        assert_eq!(cbor::decode(&frame), Ok(said.clone()));
        assert_eq!(frame::framed(&cbor::encode(&said)), Some(bytes), "as the server itself would write it");
    }
}
