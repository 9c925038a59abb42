//! Reading what servers send with leniency: every field may be missing, `null`, or of a kind that nobody expects.
//!
//! A field of the wrong kind is the same as an absent one, numbers may be written as texts (and ids as numbers), and one
//! object may stand where a list was due. Only what is no JSON at all is an error: figures and marks that a server writes
//! in its own way are not worth an answer. `record!` declares the shapes; the wire modules of the dialects use it.

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeOwned, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};
use serde_json::Value;
use std::{fmt, marker::PhantomData};

/// What can be read from anything: what a kind makes of each form that JSON has. Nothing, unless it says otherwise.
pub trait Lenient: Sized {
    fn of_text(_: &str) -> Option<Self> {
        None
    }
    fn of_number(_: f64) -> Option<Self> {
        None
    }
    fn of_whole_number(number: u64) -> Option<Self> {
        Self::of_number(number as f64)
    }
    fn of_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
    fn of_object<'de, A: MapAccess<'de>>(mut object: A) -> Result<Option<Self>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Self>, D::Error> {
        from.deserialize_any(Loose(PhantomData))
    }
}

/// For `deserialize_with`.
pub fn some<'de, D: Deserializer<'de>, T: Lenient>(from: D) -> Result<Option<T>, D::Error> {
    T::read(from)
}

/// Reads one payload. None: it is no JSON, or no object.
pub fn parse<T: Lenient>(text: &str) -> Option<T> {
    let mut from = serde_json::Deserializer::from_str(text);
    let value = T::read(&mut from).ok()??;
    from.end().ok()?;
    Some(value)
}

/// Declares a shape whose fields are all read with leniency.
macro_rules! record {
    ($($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $kind:ty,)* })*) => {$(
        $(#[$meta])*
        #[derive(Debug, Default, serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $($(#[$field_meta])* #[serde(deserialize_with = "crate::provider::lenient::some")] pub $field: Option<$kind>,)*
        }
        impl crate::provider::lenient::Record for $name {}
    )*};
}
pub(crate) use record;

/// A shape that is read from an object only.
pub trait Record: DeserializeOwned {}

impl<T: Record> Lenient for T {
    fn of_object<'de, A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(Some)
    }
}

impl Lenient for Value {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Self>, D::Error> {
        Option::deserialize(from)
    }
}

/// An entry of a list, which may be anything.
struct Entry<T>(Option<T>);

impl<'de, T: Lenient> Deserialize<'de> for Entry<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::read(from).map(Entry)
    }
}

impl Lenient for String {
    fn of_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
    fn of_number(number: f64) -> Option<Self> {
        Some(number.to_string())
    }
    fn of_whole_number(number: u64) -> Option<Self> {
        Some(number.to_string())
    }
}

impl Lenient for u64 {
    fn of_text(text: &str) -> Option<Self> {
        let text = text.trim();
        text.parse().ok().or_else(|| Self::of_number(text.parse().ok()?))
    }
    fn of_number(number: f64) -> Option<Self> {
        (number >= 0.0 && number.is_finite()).then_some(number as u64)
    }
    fn of_whole_number(number: u64) -> Option<Self> {
        Some(number)
    }
}

impl<T: Lenient> Lenient for Vec<T> {
    fn of_list<'de, A: SeqAccess<'de>>(list: A) -> Result<Option<Self>, A::Error> {
        let entries = Vec::<Entry<T>>::deserialize(SeqAccessDeserializer::new(list))?;
        Ok(Some(entries.into_iter().filter_map(|entry| entry.0).collect()))
    }
    fn of_object<'de, A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        Ok(T::read(MapAccessDeserializer::new(object))?.map(|one| vec![one]))
    }
}

struct Loose<T>(PhantomData<T>);

impl<'de, T: Lenient> Visitor<'de> for Loose<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }
    fn visit_bool<E: Error>(self, _: bool) -> Result<Option<T>, E> {
        Ok(None)
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<Option<T>, E> {
        Ok(T::of_number(number as f64))
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<Option<T>, E> {
        Ok(T::of_whole_number(number))
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<Option<T>, E> {
        Ok(T::of_number(number))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Option<T>, E> {
        Ok(T::of_text(text))
    }
    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }
    fn visit_none<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }
    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Option<T>, D::Error> {
        from.deserialize_any(self)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Option<T>, A::Error> {
        T::of_list(list)
    }
    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Option<T>, A::Error> {
        T::of_object(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    record! {
        pub struct Inner {
            pub name: String,
        }
        pub struct Outer {
            pub text: String,
            pub number: u64,
            pub inner: Inner,
            pub list: Vec<Inner>,
        }
    }

    /// Text, number, name of the inner one, names of the list.
    fn read(json: &str) -> (Option<String>, Option<u64>, Option<String>, Vec<Option<String>>) {
        let outer: Outer = parse(json).expect("an object");
        let list = outer.list.unwrap_or_default().into_iter().map(|i| i.name).collect();
        (outer.text, outer.number, outer.inner.and_then(|i| i.name), list)
    }

    #[test]
    fn what_is_of_the_wrong_kind_is_absent() {
        for odd in ["null", "true", "{}", "[1,{\"a\":[2]}]"] {
            let odd = read(&format!(r#"{{"text":{odd},"number":{odd},"inner":{odd},"list":null,"more":{odd}}}"#));
            assert_eq!(odd, (None, None, None, vec![]));
        }
        assert_eq!(read("{}"), (None, None, None, vec![]));
    }

    #[test]
    fn numbers_and_texts_stand_for_each_other() {
        for (number, value) in
            [("7", Some(7)), ("\" 7 \"", Some(7)), ("7.0", Some(7)), ("\"7.0\"", Some(7)), ("-7", None)]
        {
            assert_eq!(read(&format!(r#"{{"number":{number}}}"#)).1, value, "{number}");
        }
        assert_eq!(read(r#"{"text":7}"#).0.as_deref(), Some("7"));
        assert_eq!(read(r#"{"text":-7}"#).0.as_deref(), Some("-7"));
    }

    #[test]
    fn lists_of_anything() {
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(read(r#"{"list":[{"name":"a"},null,3,{"name":"b"}]}"#).3, [named("a"), named("b")]);
        assert_eq!(read(r#"{"list":{"name":"a"}}"#).3, [named("a")]);
    }

    #[test]
    fn what_is_no_object_is_nothing() {
        for text in ["", "[]", "7", "\"x\"", "null", "{\"a\":", "{}{}", "error"] {
            assert!(parse::<Outer>(text).is_none(), "{text}");
        }
    }
}
