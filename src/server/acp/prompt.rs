//! What the user of an editor says, as a text and pictures: links become paths, and what the editor encloses follows
//! the text.

use super::peer::fault;
use crate::conversation::Part;
use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResource, EmbeddedResourceResource, Error, ImageContent};
use base64::Engine as _;
use std::borrow::Cow;

/// Pictures that models can look at.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// What was said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    pub text: String,
    pub images: Vec<Part>,
}

impl Said {
    /// `/name and arguments` → (`name`, `and arguments`). None for a text that only begins with a slash, as a path does.
    pub fn command(&self) -> Option<(&str, &str)> {
        let rest = self.text.strip_prefix('/').filter(|_| self.images.is_empty())?;
        let (name, args) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'));
        is_name.then(|| (name, args.trim()))
    }
}

/// All blocks of a prompt.
pub fn said(blocks: &[ContentBlock]) -> Result<Said, Error> {
    let (mut said, mut enclosed) = (Said::default(), String::new());
    for block in blocks {
        match block {
            ContentBlock::Text(text) => said.text += &text.text,
            ContentBlock::ResourceLink(link) => said.text += &mention(&link.uri, Some(&link.name)),
            ContentBlock::Image(image) => picture(image, &mut said)?,
            ContentBlock::Resource(resource) => enclose(resource, &mut said, &mut enclosed)?,
            ContentBlock::Audio(_) => return Err(refused("sound is not taken: `promptCapabilities.audio` is false")),
            _ => return Err(refused("the prompt has a block of an unknown type")),
        }
    }
    said.text += &enclosed;
    match said.text.trim().is_empty() && said.images.is_empty() {
        true => Err(refused("the prompt is empty")),
        false => Ok(said),
    }
}

fn refused(why: &str) -> Error {
    fault(Error::invalid_params(), why)
}

/// A file is called by its path, so that tools find it; anything else by its address.
fn mention(uri: &str, name: Option<&str>) -> String {
    match (file(uri), name.filter(|name| !name.is_empty() && *name != uri)) {
        (Some(path), _) => path,
        (None, Some(name)) => format!("[{name}]({uri})"),
        (None, None) => uri.to_owned(),
    }
}

/// The path in a `file:` address; what else it says (a line, a symbol) stays behind it.
fn file(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    path.starts_with('/').then(|| decoded(path))
}

fn decoded(path: &str) -> String {
    percent_encoding::percent_decode_str(path).decode_utf8().map_or_else(|_| path.to_owned(), Cow::into_owned)
}

fn picture(image: &ImageContent, said: &mut Said) -> Result<(), Error> {
    match (&image.uri, image.data.is_empty()) {
        (Some(uri), true) => {
            said.text += &mention(uri, None);
            Ok(())
        }
        _ => look_at(&image.mime_type, &image.data, said),
    }
}

fn look_at(mime: &str, data: &str, said: &mut Said) -> Result<(), Error> {
    if !PICTURES.contains(&mime) {
        return Err(refused(&format!("a picture has to be one of {}, not {mime}", PICTURES.join(", "))));
    }
    match base64::engine::general_purpose::STANDARD.decode(data) {
        Ok(bytes) if !bytes.is_empty() => {
            said.images.push(Part::Image { mime: mime.to_owned(), data: data.to_owned() });
            Ok(())
        }
        _ => Err(refused("the `data` of a picture has to be base64")),
    }
}

fn enclose(resource: &EmbeddedResource, said: &mut Said, enclosed: &mut String) -> Result<(), Error> {
    match &resource.resource {
        EmbeddedResourceResource::TextResourceContents(text) => {
            let name = mention(&text.uri, None);
            said.text += &name;
            let end = if text.text.ends_with('\n') { "" } else { "\n" };
            *enclosed += &format!("\n\n<resource name=\"{name}\">\n{}{end}</resource>", text.text);
            Ok(())
        }
        EmbeddedResourceResource::BlobResourceContents(blob) => {
            said.text += &mention(&blob.uri, None);
            match blob.mime_type.as_deref() {
                Some(mime) if PICTURES.contains(&mime) => look_at(mime, &blob.blob, said),
                _ => Err(refused(&format!("{} is no text and no picture that can be looked at", blob.uri))),
            }
        }
        _ => Err(refused("the prompt has a resource of an unknown type")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(blocks: Value) -> Result<Said, Error> {
        said(&serde_json::from_value::<Vec<ContentBlock>>(blocks).expect("blocks"))
    }

    fn text(blocks: Value) -> String {
        of(blocks).expect("said").text
    }

    #[test]
    fn links_become_paths_and_what_is_enclosed_follows() {
        assert_eq!(
            text(json!([
                {"type": "text", "text": "look at "},
                {"type": "resource_link", "uri": "file:///p/a%20b.rs", "name": "a b.rs"},
                {"type": "text", "text": " and "},
                {"type": "resource", "resource": {"uri": "file:///p/c.rs#L3:5", "text": "fn c()"}},
                {"type": "text", "text": ", as "},
                {"type": "resource_link", "uri": "https://example.org/x", "name": "x"},
            ])),
            "look at /p/a b.rs and /p/c.rs#L3:5, as [x](https://example.org/x)\n\n\
             <resource name=\"/p/c.rs#L3:5\">\nfn c()\n</resource>"
        );
    }

    #[test]
    fn pictures_go_along_and_bad_ones_are_refused() {
        let picture = |mime: &str, data: &str| of(json!([{"type": "image", "mimeType": mime, "data": data}]));
        assert_eq!(picture("image/png", "aGk=").expect("a picture").images.len(), 1);
        for (mime, data) in [("image/png", "no base64!"), ("image/png", ""), ("image/tiff", "aGk=")] {
            assert!(picture(mime, data).is_err(), "{mime} {data}");
        }
        let blob = |mime: &str| {
            of(json!([{"type": "resource", "resource": {"uri": "file:///x", "blob": "aGk=", "mimeType": mime}}]))
        };
        assert_eq!(blob("image/gif").expect("a picture").images.len(), 1);
        assert!(blob("application/zip").is_err());
        assert!(of(json!([])).is_err() && of(json!([{"type": "text", "text": " "}])).is_err());
        assert!(of(json!([{"type": "audio", "mimeType": "audio/wav", "data": "aGk="}])).is_err());
    }

    #[test]
    fn what_is_a_command() {
        let said = |text: &str| Said { text: text.into(), images: vec![] };
        assert_eq!(said("/compact the tests ").command(), Some(("compact", "the tests")));
        assert_eq!(said("/etc/hosts is broken").command(), None);
        assert_eq!(said("no").command(), None);
    }

    #[test]
    fn odd_addresses_stay_as_they_are() {
        assert_eq!(decoded("/a%2"), "/a%2");
        assert_eq!(decoded("/a%zz%"), "/a%zz%");
        assert_eq!(decoded("/%C3%A9"), "/é");
        assert_eq!(decoded("/%ff"), "/%ff");
        assert_eq!(mention("zed:///agent/thread/1", Some("A thread")), "[A thread](zed:///agent/thread/1)");
        assert_eq!(file("file://host/x"), None);
    }
}
