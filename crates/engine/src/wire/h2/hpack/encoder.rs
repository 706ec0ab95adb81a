//! Requests' fields out, as header blocks. What depends on the fields alone is put into bytes once, before any load.

use super::{FIELD_OVERHEAD_BYTES, huffman, static_table};
use std::collections::HashMap;

/// The initial value of SETTINGS_HEADER_TABLE_SIZE (RFC 9113, section 6.5.2). A server may allow more; we use no more.
const MAX_TABLE_BYTES: u32 = 4096;
/// The static table's entries come first (RFC 7541, section 2.3.3).
const FIRST_DYNAMIC_INDEX: u32 = 62;
/// Above all entries that fit into [`MAX_TABLE_BYTES`], and below 2^8.
const MAX_ENTRIES: u8 = (MAX_TABLE_BYTES as usize / FIELD_OVERHEAD_BYTES) as u8;

/// So many fields of an arm's requests may enter a table; each connection keeps a byte for each of them.
const MAX_ENTERING: u16 = 1024;

/// The number of a field in [`Fields`].
pub type FieldId = u32;

/// One field as the encoder writes it.
#[derive(Debug)]
struct Field {
    /// In the static table, name and value.
    static_index: Option<u8>,
    /// As a literal that enters the table, if it should, and its number among those.
    entering: Option<(Box<[u8]>, u16)>,
    /// As a literal that does not enter it.
    passing: Box<[u8]>,
    table_bytes: u32,
}

/// All distinct fields of some requests.
#[derive(Debug, Default)]
pub struct Fields {
    list: Vec<Field>,
    known: HashMap<(String, Vec<u8>), FieldId>,
    entering: u16,
}

impl Fields {
    /// The number of this field, which is new or known, and what it counts in a list of fields (RFC 9113, section 6.5.2).
    pub fn add(&mut self, name: &str, value: &[u8]) -> (FieldId, u32) {
        let key = (name.to_owned(), value.to_vec());
        let id = match self.known.get(&key) {
            Some(&id) => id,
            None => {
                // As many as 2^32 do not fit into memory.
                let id = self.list.len() as FieldId;
                let field = self.field(name, value);
                self.list.push(field);
                self.known.insert(key, id);
                id
            }
        };
        (id, self.list[id as usize].table_bytes)
    }

    fn field(&mut self, name: &str, value: &[u8]) -> Field {
        let indices = 1..=static_table::TABLE.len() as u8;
        let finds = |index: u8, matches: &dyn Fn(&str, &str) -> bool| {
            static_table::entry(index.into()).is_some_and(|(known, text)| matches(known, text))
        };
        let name_index = indices.clone().find(|&index| finds(index, &|known, _| known == name)).unwrap_or(0);
        let static_index =
            indices.clone().find(|&index| finds(index, &|known, text| known == name && text.as_bytes() == value));
        let literal = |first: u8, prefix_bits| {
            let mut bytes = Vec::new();
            put_number(&mut bytes, first, prefix_bits, name_index.into());
            if name_index == 0 {
                put_string(&mut bytes, name.as_bytes());
            }
            put_string(&mut bytes, value);
            bytes.into_boxed_slice()
        };
        let is_entering = static_index.is_none() && enters(name) && self.entering < MAX_ENTERING;
        let entering = is_entering.then(|| (literal(0b0100_0000, 6), self.entering));
        self.entering += u16::from(is_entering);
        Field {
            static_index,
            entering,
            passing: literal(0, 4),
            // Longer ones than 4 GiB do not come up, and none of them would fit.
            table_bytes: u32::try_from(name.len() + value.len() + FIELD_OVERHEAD_BYTES).unwrap_or(u32::MAX),
        }
    }
}

/// Whether a field enters the table: those whose values change from request to request do not. The list is nghttp2's,
/// as far as requests have such fields.
fn enters(name: &str) -> bool {
    !matches!(name, ":path" | "content-length" | "if-modified-since" | "if-none-match")
}

/// The encoder of one connection. Its table is filled once; nothing is ever evicted, so a request that was sent before
/// costs a byte or two for each field.
#[derive(Debug)]
pub struct Encoder {
    /// For each field that may enter the table how many entries it had with it; 0 is not in the table.
    entries: Box<[u8]>,
    entry_count: u8,
    table_bytes: u32,
    max_table_bytes: u32,
    /// Whether the next block has to begin with changes of the table's size.
    tells_size: bool,
}

impl Encoder {
    /// An encoder of these fields, whose table is empty.
    pub fn new(fields: &Fields) -> Self {
        Self {
            entries: vec![0; usize::from(fields.entering)].into(),
            entry_count: 0,
            table_bytes: 0,
            max_table_bytes: MAX_TABLE_BYTES,
            tells_size: false,
        }
    }

    /// The server announces how much its table holds.
    pub fn set_table_size(&mut self, bytes: u32) {
        let bytes = bytes.min(MAX_TABLE_BYTES);
        if bytes == self.max_table_bytes {
            return;
        }
        self.max_table_bytes = bytes;
        self.tells_size = true;
        self.entries.fill(0);
        (self.entry_count, self.table_bytes) = (0, 0);
    }

    /// Adds the block of these fields to `output`.
    pub fn encode(&mut self, fields: &Fields, list: &[FieldId], output: &mut Vec<u8>) {
        if std::mem::take(&mut self.tells_size) {
            // The smallest size since the last block has to be told, and the last one (RFC 7541, section 4.2). 0 in
            // front empties the table, so that no entry of it is left whose place we would have to know.
            put_number(output, 0b0010_0000, 5, 0);
            if self.max_table_bytes > 0 {
                put_number(output, 0b0010_0000, 5, self.max_table_bytes);
            }
        }
        for field in list.iter().filter_map(|&id| fields.list.get(id as usize)) {
            match (field.static_index, &field.entering) {
                (Some(index), _) => output.push(0b1000_0000 | index),
                (None, None) => output.extend_from_slice(&field.passing),
                (None, Some((literal, number))) => self.encode_entry(field, literal, *number, output),
            }
        }
    }

    /// Writes a field that is in the table, or enters it if there is room.
    fn encode_entry(&mut self, field: &Field, literal: &[u8], number: u16, output: &mut Vec<u8>) {
        let has_room = self.has_room(field);
        let entry = &mut self.entries[usize::from(number)];
        if *entry > 0 {
            // The newest entry has the lowest index.
            put_number(output, 0b1000_0000, 7, FIRST_DYNAMIC_INDEX + u32::from(self.entry_count - *entry));
        } else if has_room {
            self.entry_count += 1;
            self.table_bytes += field.table_bytes;
            *entry = self.entry_count;
            output.extend_from_slice(literal);
        } else {
            output.extend_from_slice(&field.passing);
        }
    }

    fn has_room(&self, field: &Field) -> bool {
        self.entry_count < MAX_ENTRIES && field.table_bytes <= self.max_table_bytes - self.table_bytes
    }
}

/// Adds a number behind the bits of `first` (section 5.1).
fn put_number(output: &mut Vec<u8>, first: u8, prefix_bits: u8, number: u32) {
    let mask = u8::MAX >> (8 - prefix_bits);
    if number < u32::from(mask) {
        output.push(first | number as u8);
        return;
    }
    output.push(first | mask);
    let mut rest = number - u32::from(mask);
    while rest >= 0x80 {
        output.push(0x80 | (rest & 0x7f) as u8);
        rest >>= 7;
    }
    output.push(rest as u8);
}

/// Adds a string (section 5.2), in the Huffman code if that is shorter.
fn put_string(output: &mut Vec<u8>, text: &[u8]) {
    let encoded_bytes = huffman::encoded_bytes(text);
    // A field of 4 GiB is refused before: a request is below 1 GiB.
    if encoded_bytes < text.len() {
        put_number(output, 0b1000_0000, 7, encoded_bytes as u32);
        huffman::encode(text, output);
    } else {
        put_number(output, 0, 7, text.len() as u32);
        output.extend_from_slice(text);
    }
}
