//! CBOR (RFC 8949) as protocol.md has it: definite lengths, unique text keys, integers within ±2⁵³, no tags, no NaN or
//! infinities, at most 64 levels. What breaks a rule is refused, so that two programs never read one frame differently.
//!
//! Values are those of JSON: the same requests go over the socket and as lines of text.

use minicbor::{
    Decoder, Encoder,
    data::{Int, Type},
};
use serde_json::{Map, Number, Value};

/// Levels of arrays and maps.
pub const DEPTH: usize = 64;
/// Integers beyond it are not the same everywhere.
const SAFE: i128 = 1 << 53;
/// Values in one frame: each takes many times its bytes in memory.
const MOST: usize = 1_000_000;
/// Elements that room is made for before they have been seen.
const AHEAD: u64 = 1024;

/// A frame that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

fn bad(why: impl Into<String>) -> Malformed {
    Malformed(why.into())
}

impl From<minicbor::decode::Error> for Malformed {
    fn from(error: minicbor::decode::Error) -> Self {
        bad(format!("this is not CBOR: {error}"))
    }
}

/// The one value that the bytes are.
pub fn decode(bytes: &[u8]) -> Result<Value, Malformed> {
    let (mut decoder, mut room_of_a_frame) = (Decoder::new(bytes), MOST);
    let value = item(&mut decoder, 0, &mut room_of_a_frame)?;
    match bytes.len() - decoder.position() {
        0 => Ok(value),
        more => Err(bad(format!("{more} bytes follow the value"))),
    }
}

fn item(d: &mut Decoder<'_>, depth: usize, room: &mut usize) -> Result<Value, Malformed> {
    *room = room.checked_sub(1).ok_or_else(|| bad(format!("more than {MOST} values")))?;
    match d.datatype()? {
        Type::Bool => Ok(d.bool()?.into()),
        Type::Null => d.null().map(|()| Value::Null).map_err(Malformed::from),
        Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Int => {
            integer(d.int()?)
        }
        Type::F16 | Type::F32 | Type::F64 => {
            let number = d.f64()?;
            Number::from_f64(number).map(Value::Number).ok_or_else(|| bad("NaN and infinities are not allowed"))
        }
        Type::String => Ok(d.str()?.into()),
        Type::Array => array(d, deeper(depth)?, room),
        Type::Map => map(d, deeper(depth)?, room),
        Type::ArrayIndef | Type::MapIndef | Type::StringIndef | Type::BytesIndef | Type::Break => {
            Err(bad("lengths have to be definite"))
        }
        Type::Tag => Err(bad("tags are not allowed")),
        Type::Bytes => Err(bad("byte strings are not used: binary data is base64 text")),
        Type::Undefined | Type::Simple | Type::Unknown(_) => Err(bad("this simple value is not used")),
    }
}

fn deeper(depth: usize) -> Result<usize, Malformed> {
    if depth < DEPTH { Ok(depth + 1) } else { Err(bad(format!("more than {DEPTH} levels"))) }
}

fn integer(int: Int) -> Result<Value, Malformed> {
    let n = i128::from(int);
    match i64::try_from(n) {
        Ok(small) if n.abs() <= SAFE => Ok(small.into()),
        _ => Err(bad("integers have to lie within ±2^53")),
    }
}

fn length(n: Option<u64>) -> Result<u64, Malformed> {
    n.ok_or_else(|| bad("lengths have to be definite"))
}

/// Room for some of what is announced: a frame may promise more than it has.
fn room(n: u64) -> usize {
    usize::try_from(n.min(AHEAD)).unwrap_or(0)
}

fn array(d: &mut Decoder<'_>, depth: usize, left: &mut usize) -> Result<Value, Malformed> {
    let n = length(d.array()?)?;
    let mut values = Vec::with_capacity(room(n));
    for _ in 0..n {
        values.push(item(d, depth, left)?);
    }
    Ok(values.into())
}

fn map(d: &mut Decoder<'_>, depth: usize, left: &mut usize) -> Result<Value, Malformed> {
    let n = length(d.map()?)?;
    let mut fields = Map::with_capacity(room(n));
    for _ in 0..n {
        if d.datatype()? != Type::String {
            return Err(bad("keys have to be text of a definite length"));
        }
        let key = d.str()?.to_owned();
        let value = item(d, depth, left)?;
        if fields.insert(key.clone(), value).is_some() {
            return Err(bad(format!("the key `{key}` stands there twice")));
        }
    }
    Ok(fields.into())
}

/// The bytes of a value. What the rules don't allow is told in the nearest way that they do: larger integers as
/// floating point, deeper levels as JSON text.
pub fn encode(value: &Value) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new());
    put(&mut encoder, value, 0);
    encoder.into_writer()
}

/// Writing to memory can't fail.
fn put(e: &mut Encoder<Vec<u8>>, value: &Value, depth: usize) {
    let _ = match value {
        Value::Null => e.null().map(drop),
        Value::Bool(yes) => e.bool(*yes).map(drop),
        Value::Number(number) => put_number(e, number),
        Value::String(text) => e.str(text).map(drop),
        deep @ (Value::Array(_) | Value::Object(_)) if depth >= DEPTH => e.str(&deep.to_string()).map(drop),
        Value::Array(values) => {
            let begun = e.array(values.len() as u64).map(drop);
            values.iter().for_each(|value| put(e, value, depth + 1));
            begun
        }
        Value::Object(fields) => {
            let begun = e.map(fields.len() as u64).map(drop);
            for (key, value) in fields {
                let _ = e.str(key);
                put(e, value, depth + 1);
            }
            begun
        }
    };
}

type Put = Result<(), minicbor::encode::Error<std::convert::Infallible>>;

fn put_number(e: &mut Encoder<Vec<u8>>, number: &Number) -> Put {
    match (number.as_i64(), number.as_f64()) {
        (Some(n), _) if i128::from(n).abs() <= SAFE => e.i64(n).map(drop),
        (_, Some(n)) if n.is_finite() => e.f64(n).map(drop),
        _ => e.null().map(drop),
    }
}

#[cfg(test)]
mod tests;
