//! Decodes UTF-16 to UTF-8 while reading.

use std::io::{self, BufRead, BufReader, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding};

/// The size of the read buffer, in bytes.
const PART: usize = 64 << 10;

/// Replaces malformed UTF-16. It is not valid UTF-8, so the check of the text finds it in its place.
const MALFORMED: u8 = 0xff;

/// The text in `from`, without a byte order mark.
pub(super) fn decoded<R: Read>(from: R, encoding: &'static Encoding) -> impl BufRead + use<R> {
    let decoder = encoding.new_decoder_without_bom_handling();
    BufReader::with_capacity(PART, Utf16 { from: BufReader::new(from), decoder, has_ended: false })
}

struct Utf16<R> {
    from: BufReader<R>,
    decoder: Decoder,
    has_ended: bool,
}

impl<R: Read> Read for Utf16<R> {
    /// Requires a buffer with room for a character, as the `BufReader` around it has.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.has_ended {
            let bytes = self.from.fill_buf()?;
            let is_last = bytes.is_empty();
            let room = into.len() - 1;
            let (result, read, mut count) =
                self.decoder.decode_to_utf8_without_replacement(bytes, &mut into[..room], is_last);
            self.from.consume(read);
            match result {
                DecoderResult::InputEmpty => self.has_ended = is_last,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => {
                    into[count] = MALFORMED;
                    count += 1;
                }
            }
            if count > 0 {
                return Ok(count);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{UTF_16BE, UTF_16LE};

    use super::*;

    fn all(bytes: &[u8], encoding: &'static Encoding) -> Vec<u8> {
        let mut input = decoded(bytes, encoding);
        let mut out = Vec::new();
        loop {
            let part = input.fill_buf().unwrap().to_vec();
            if part.is_empty() {
                return out;
            }
            input.consume(part.len());
            out.extend(part);
        }
    }

    #[test]
    fn half_a_pair_and_half_a_unit_are_found_as_faults() {
        assert_eq!(all(&[0x3d, 0xd8, b'a', 0], UTF_16LE), b"\xffa");
        assert_eq!(all(&[0xdc, 0x00], UTF_16BE), b"\xff");
        assert_eq!(all(&[b'a', 0, b'b'], UTF_16LE), b"a\xff");
        assert!(str::from_utf8(&all(&[0x00, 0xd8, 0x00, 0xd8], UTF_16LE)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn text_comes_out_as_it_was(text: String) {
            let units: Vec<u16> = text.encode_utf16().collect();
            let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            proptest::prop_assert_eq!(all(&little, UTF_16LE), text.as_bytes());
            proptest::prop_assert_eq!(all(&big, UTF_16BE), text.as_bytes());
        }
    }
}
