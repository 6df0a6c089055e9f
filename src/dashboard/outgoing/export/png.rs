//! Text chunks of a PNG file (PNG, third edition, §11.3.3.4), which viewers show as its properties.

/// Length in bytes of the signature and the header chunk; text chunks may follow these.
pub const HEAD: i32 = 8 + 25;

/// Texts (keyword, value) as chunks. Keywords are those that PNG has registered, whatever the language of the texts.
pub fn texts(texts: &[(&str, &str)]) -> Vec<u8> {
    texts.iter().flat_map(|(key, text)| chunk(key, text)).collect()
}

/// An `iTXt` chunk: key, not compressed, no language, UTF-8.
fn chunk(key: &str, text: &str) -> Vec<u8> {
    let mut body = b"iTXt".to_vec();
    for part in [key.as_bytes(), &[0, 0, 0, 0, 0], text.as_bytes()] {
        body.extend_from_slice(part);
    }
    let length = u32::try_from(body.len() - 4).unwrap_or(0);
    let check = crc(&body);
    [&length.to_be_bytes()[..], &body, &check.to_be_bytes()].concat()
}

/// The cyclic redundancy check of PNG (annex D), bit by bit, which is fast enough for short texts.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { 0xEDB8_8320 ^ (crc >> 1) } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_is_the_standard_one() {
        assert_eq!(crc(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc(b"IEND"), 0xAE42_6082);
    }

    /// A PNG file of one pixel, written by hand.
    fn pixel() -> Vec<u8> {
        let chunk = |body: &[u8]| {
            let length = u32::try_from(body.len() - 4).unwrap();
            [&length.to_be_bytes()[..], body, &crc(body).to_be_bytes()].concat()
        };
        let header = chunk(b"IHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0");
        [b"\x89PNG\r\n\x1a\n".to_vec(), header, chunk(b"IDAT..."), chunk(b"IEND")].concat()
    }

    /// The chunks of a file as (name, content); checks their CRCs.
    fn chunks(png: &[u8]) -> Vec<(String, String)> {
        let mut rest = &png[8..];
        let mut all = Vec::new();
        while !rest.is_empty() {
            let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
            let body = &rest[4..8 + length];
            assert_eq!(crc(body).to_be_bytes(), rest[8 + length..12 + length]);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            all.push((text(&body[..4]), text(&body[4..])));
            rest = &rest[12 + length..];
        }
        all
    }

    #[test]
    fn texts_stand_after_the_header_and_all_else_stays() {
        let (pixel, head) = (pixel(), usize::try_from(HEAD).unwrap());
        let texts = texts(&[("Title", "ε = 0.3"), ("Source", "x")]);
        let marked = [&pixel[..head], &texts, &pixel[head..]].concat();
        let found = chunks(&marked);
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["IHDR", "iTXt", "iTXt", "IDAT", "IEND"]);
        assert_eq!(found[1].1, "Title\0\0\0\0\0ε = 0.3");
    }
}
