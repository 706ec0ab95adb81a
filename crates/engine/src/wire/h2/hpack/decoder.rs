//! Header blocks in, fields out.

use super::{Error, huffman, static_table};

/// Reads header blocks. It keeps nothing between them but its buffers.
#[derive(Debug, Default)]
pub struct Decoder {
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Decoder {
    /// Calls `field` with the name and the value of every field of a whole block, in order, until it fails. Memory: what
    /// the longest field takes, which is 8 / 5 of the block at most.
    pub fn decode<E: From<Error>>(
        &mut self,
        block: &[u8],
        mut field: impl FnMut(&[u8], &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = block;
        let mut is_at_start = true;
        while let Some(&first) = rest.first() {
            if first & 0b1110_0000 == 0b0010_0000 {
                // Section 4.2: only in front. We announced 0, so 0 is the only size.
                if !is_at_start || number(&mut rest, 5)? != 0 {
                    return Err(Error::TableSize.into());
                }
                continue;
            }
            is_at_start = false;
            if first & 0b1000_0000 != 0 {
                let index = number(&mut rest, 7)?;
                let (name, value) = static_table::entry(index).ok_or(Error::Index)?;
                field(name.as_bytes(), value.as_bytes())?;
                continue;
            }
            // A field that enters the table does not stay there: the table has no room (section 4.4).
            let prefix_bits = if first & 0b0100_0000 != 0 { 6 } else { 4 };
            let name = match number(&mut rest, prefix_bits)? {
                0 => string(&mut rest, &mut self.name)?,
                index => static_table::entry(index).ok_or(Error::Index)?.0.as_bytes(),
            };
            let value = string(&mut rest, &mut self.value)?;
            field(name, value)?;
        }
        Ok(())
    }
}

/// Takes a number from the front (section 5.1). Nothing here is above 2^32.
fn number(input: &mut &[u8], prefix_bits: u8) -> Result<u32, Error> {
    let mut next = || -> Result<u8, Error> {
        let (&byte, rest) = input.split_first().ok_or(Error::Truncated)?;
        *input = rest;
        Ok(byte)
    };
    let mask = u8::MAX >> (8 - prefix_bits);
    let prefix = next()? & mask;
    if prefix < mask {
        return Ok(u32::from(prefix));
    }
    let mut sum = u64::from(prefix);
    // Five bytes hold 35 bits.
    for shift in [0, 7, 14, 21, 28] {
        let byte = next()?;
        sum += u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(sum).map_err(|_| Error::Number);
        }
    }
    Err(Error::Number)
}

/// Takes a string from the front (section 5.2); one in the Huffman code comes to lie in `buffer`.
fn string<'b, 'a: 'b>(input: &mut &'a [u8], buffer: &'b mut Vec<u8>) -> Result<&'b [u8], Error> {
    let is_huffman = input.first().is_some_and(|byte| byte & 0b1000_0000 != 0);
    let length = number(input, 7)? as usize;
    let (bytes, rest) = input.split_at_checked(length).ok_or(Error::Truncated)?;
    *input = rest;
    if !is_huffman {
        return Ok(bytes);
    }
    buffer.clear();
    huffman::decode(bytes, buffer)?;
    Ok(buffer)
}
