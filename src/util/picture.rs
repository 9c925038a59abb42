//! Pictures as models take them: not larger than so many pixels and bytes, and called what they are.
//!
//! Blocking, and slow for large pictures: callers run it aside. What cannot be read stays as it is; the server says what
//! it thinks of it.

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use image::{
    DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Rgb, RgbImage, codecs::jpeg::JpegEncoder,
    imageops::FilterType,
};
use serde::{Deserialize, Serialize};
use std::io::Cursor;

/// What a model takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Pixels of the longer side.
    pub side: u32,
    /// Of the base64 text.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { side: 2000, bytes: 5 << 20 }
    }
}

/// A picture in base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub mime: &'static str,
    pub data: String,
}

/// Bytes of the base64 text that most headers lie in.
const HEAD: usize = 256 << 10;
/// Bytes that a picture may take while it is scaled.
const MOST_MEMORY: u64 = 512 << 20;
const QUALITY: u8 = 85;
/// Pixels below which nothing is recognised.
const SMALLEST: u32 = 64;

/// The picture within the limits; none where it needs no change, or cannot be read.
pub fn fit(mime: &str, data: &str, limits: Limits) -> Option<Picture> {
    let (data, limits) = (data.trim(), Limits { side: limits.side.max(SMALLEST), ..limits });
    if data.len() <= limits.bytes
        && let Some((own, side)) = look(&data[..HEAD.min(data.len()) / 4 * 4]).or_else(|| look(data))
        && side <= limits.side
    {
        return (own != mime).then(|| Picture { mime: own, data: data.to_owned() });
    }
    scaled(&BASE64.decode(data).ok()?, limits)
}

/// A picture to be drawn; none where it cannot be read, or would take too much memory.
pub fn read(data: &str) -> Option<DynamicImage> {
    let bytes = BASE64.decode(data).ok()?;
    let format = image::guess_format(&bytes).ok()?;
    decode(&bytes, format).ok()
}

/// What it is, and its longer side, by its header.
fn look(data: &str) -> Option<(&'static str, u32)> {
    let bytes = BASE64.decode(data).ok()?;
    let format = image::guess_format(&bytes).ok()?;
    let (width, height) = ImageReader::with_format(Cursor::new(bytes), format).into_dimensions().ok()?;
    Some((name(format)?, width.max(height)))
}

/// Formats that models take.
fn name(format: ImageFormat) -> Option<&'static str> {
    match format {
        ImageFormat::Png => Some("image/png"),
        ImageFormat::Jpeg => Some("image/jpeg"),
        ImageFormat::Gif => Some("image/gif"),
        ImageFormat::WebP => Some("image/webp"),
        _ => None,
    }
}

fn scaled(bytes: &[u8], limits: Limits) -> Option<Picture> {
    let format = image::guess_format(bytes).ok()?;
    let whole = decode(bytes, format).ok()?;
    let longer = whole.width().max(whole.height());
    let mut side = longer.min(limits.side);
    while side >= SMALLEST {
        let small = if side < longer { whole.resize(side, side, FilterType::CatmullRom) } else { whole.clone() };
        let png =
            (format != ImageFormat::Jpeg).then(|| written("image/png", |out| small.write_to(out, ImageFormat::Png)));
        let jpeg = || {
            let plain = opaque(&small);
            written("image/jpeg", |out| plain.write_with_encoder(JpegEncoder::new_with_quality(out, QUALITY)))
        };
        let fits = |picture: &Picture| picture.data.len() <= limits.bytes;
        if let Some(picture) = png.flatten().filter(fits).or_else(|| jpeg().filter(fits)) {
            return Some(picture);
        }
        side = side / 4 * 3;
    }
    None
}

/// Upright, as its camera says.
fn decode(bytes: &[u8], format: ImageFormat) -> Result<DynamicImage, ImageError> {
    let mut decoder = ImageReader::with_format(Cursor::new(bytes), format).into_decoder()?;
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    decoder.set_limits(limits)?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

type Out = Cursor<Vec<u8>>;

fn written(mime: &'static str, write: impl FnOnce(&mut Out) -> Result<(), ImageError>) -> Option<Picture> {
    let mut out = Out::default();
    write(&mut out).ok()?;
    Some(Picture { mime, data: BASE64.encode(out.into_inner()) })
}

/// On white, since JPEG knows no transparency.
fn opaque(picture: &DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    let with = picture.to_rgba8();
    RgbImage::from_fn(with.width(), with.height(), |x, y| {
        let [r, g, b, a] = with.get_pixel(x, y).0;
        let on_white = |c: u8| u8::try_from((u16::from(c) * u16::from(a) + 255 * (255 - u16::from(a))) / 255);
        Rgb([r, g, b].map(|c| on_white(c).unwrap_or(u8::MAX)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise, which nothing compresses well.
    fn noise(width: u32, height: u32, format: ImageFormat) -> String {
        let mut seed = 1_u32;
        let picture = RgbImage::from_fn(width, height, |_, _| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Rgb([(seed >> 24) as u8, (seed >> 16) as u8, (seed >> 8) as u8])
        });
        written("", |out| DynamicImage::from(picture).write_to(out, format)).expect("a picture").data
    }

    fn side(picture: &Picture) -> u32 {
        look(&picture.data).expect("a picture").1
    }

    #[test]
    fn what_fits_stays_and_is_called_what_it_is() {
        let png = noise(20, 10, ImageFormat::Png);
        assert_eq!(fit("image/png", &png, Limits::default()), None);
        assert_eq!(fit("image/jpeg", &png, Limits::default()), Some(Picture { mime: "image/png", data: png }));
    }

    #[test]
    fn h11_what_has_too_many_pixels_or_bytes_is_scaled_down() {
        let pixels = fit("image/png", &noise(300, 20, ImageFormat::Png), Limits { side: 100, bytes: 1 << 20 });
        let pixels = pixels.expect("a smaller one");
        assert_eq!((pixels.mime, side(&pixels)), ("image/png", 100));
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif] {
            let large = noise(300, 300, format);
            let limits = Limits { side: 2000, bytes: 20_000 };
            let small = fit("image/png", &large, limits).expect("a smaller one");
            assert!(large.len() > limits.bytes && small.data.len() <= limits.bytes, "{format:?}");
            assert_eq!((small.mime, side(&small) < 300), ("image/jpeg", true), "{format:?}");
        }
    }

    #[test]
    fn what_is_transparent_becomes_white_where_it_has_to_be_a_jpeg() {
        let clear = DynamicImage::from(image::RgbaImage::new(8, 8));
        assert_eq!(opaque(&clear).get_pixel(3, 3).0, [255; 3]);
    }

    #[test]
    fn what_cannot_be_read_stays_as_it_is() {
        let cut = &noise(300, 300, ImageFormat::Png)[..4000];
        for data in ["", "no base64!", "aGk=", cut] {
            assert_eq!(fit("image/png", data, Limits { side: 100, bytes: 100 }), None, "{data:.20}");
        }
    }
}
