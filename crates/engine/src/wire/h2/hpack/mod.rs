//! HPACK (RFC 7541): how fields are put into bytes.
//!
//! The decoder has no dynamic table, because we announce SETTINGS_HEADER_TABLE_SIZE = 0: then a header block depends on
//! its fields alone, and equal blocks mean the same. The encoder has one, as that of every browser does, so that a server
//! reads a cookie of 2 KB once per connection.

mod decoder;
mod encoder;
mod huffman;
mod static_table;

pub use decoder::Decoder;
pub use encoder::{Encoder, FieldId, Fields};

/// What a field costs beside its bytes, in tables and in lists of fields (RFC 7541, section 4.1).
pub const FIELD_OVERHEAD_BYTES: usize = 32;

/// How a header block is malformed. All of them end the connection (RFC 9113, section 4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The block ends in the midst of a field.
    Truncated,
    /// A number has more bits than any that can be meant here (RFC 7541, section 5.1).
    Number,
    /// No entry has this index (section 2.3.3). The dynamic table is always empty.
    Index,
    /// A string is not in the Huffman code, or badly padded (section 5.2).
    Huffman,
    /// A change of the table's size above the announced one, or behind a field (sections 4.2 and 6.3).
    TableSize,
}

impl Error {
    /// What the block is, in words.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Truncated => "a header block that ends within a field",
            Self::Number => "a number too large in a header block",
            Self::Index => "a header block with an index of no entry",
            Self::Huffman => "a string that is not in the Huffman code",
            Self::TableSize => "a header table's size not as announced",
        }
    }

    /// The section of RFC 7541 that says so.
    pub const fn section(self) -> &'static str {
        match self {
            Self::Truncated => "3.2",
            Self::Number => "5.1",
            Self::Index => "2.3.3",
            Self::Huffman => "5.2",
            Self::TableSize => "4.2",
        }
    }
}

#[cfg(test)]
mod tests;
