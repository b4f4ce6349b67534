//! UTF-16 as UTF-8, as it is read.

use std::io::{self, Read};

/// Which octet of a unit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

/// Reads UTF-16. Half a pair that stands alone becomes the three octets that UTF-8 would have for it if it might, so that
/// whoever checks the text finds it in its place.
pub(super) struct Utf16<R> {
    from: R,
    order: Order,
    units: Vec<u8>,
    /// The first half of a pair.
    high: Option<u16>,
    out: Vec<u8>,
    given: usize,
}

impl<R: Read> Utf16<R> {
    pub(super) fn new(from: R, order: Order) -> Self {
        Self { from, order, units: Vec::new(), high: None, out: Vec::new(), given: 0 }
    }

    /// Decodes some more; `false` at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.out.clear();
        self.given = 0;
        let mut chunk = [0; 8192];
        let count = self.from.read(&mut chunk)?;
        self.units.extend_from_slice(&chunk[..count]);
        let whole = self.units.len() / 2 * 2;
        let units = std::mem::take(&mut self.units);
        for unit in units[..whole].chunks_exact(2) {
            let unit = [unit[0], unit[1]];
            self.push(if self.order == Order::Little { u16::from_le_bytes(unit) } else { u16::from_be_bytes(unit) });
        }
        self.units.extend_from_slice(&units[whole..]);
        if count > 0 {
            return Ok(true);
        }
        if let Some(high) = self.high.take() {
            self.alone(high);
        }
        if !self.units.is_empty() {
            // Half a unit at the end.
            self.units.clear();
            self.out.push(0xff);
        }
        Ok(!self.out.is_empty())
    }

    fn push(&mut self, unit: u16) {
        if let Some(high) = self.high.take() {
            if let Some(Ok(c)) = char::decode_utf16([high, unit]).next() {
                return self.character(c);
            }
            self.alone(high);
        }
        match unit {
            0xd800..=0xdbff => self.high = Some(unit),
            _ => match char::from_u32(unit.into()) {
                Some(c) => self.character(c),
                None => self.alone(unit),
            },
        }
    }

    fn character(&mut self, c: char) {
        self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn alone(&mut self, half: u16) {
        let [high, low] = half.to_be_bytes();
        self.out.extend([0xe0 | high >> 4, 0x80 | (high & 0xf) << 2 | low >> 6, 0x80 | low & 0x3f]);
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given == self.out.len() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let count = into.len().min(self.out.len() - self.given);
        into[..count].copy_from_slice(&self.out[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], order: Order) -> Vec<u8> {
        let mut out = Vec::new();
        Utf16::new(bytes, order).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn half_a_pair_and_half_a_unit_are_found_as_faults() {
        assert_eq!(decoded(&[0x3d, 0xd8, b'a', 0], Order::Little), b"\xed\xa0\xbda");
        assert_eq!(decoded(&[0xdc, 0x00], Order::Big), b"\xed\xb0\x80");
        assert_eq!(decoded(&[b'a', 0, b'b'], Order::Little), b"a\xff");
        assert!(str::from_utf8(&decoded(&[0x00, 0xd8, 0x00, 0xd8], Order::Little)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn text_comes_out_as_it_was(text: String) {
            let units: Vec<u16> = text.encode_utf16().collect();
            let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            proptest::prop_assert_eq!(decoded(&little, Order::Little), text.as_bytes());
            proptest::prop_assert_eq!(decoded(&big, Order::Big), text.as_bytes());
        }
    }
}
