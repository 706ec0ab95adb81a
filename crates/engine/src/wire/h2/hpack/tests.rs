use super::*;
use proptest::prelude::*;

type Lines = Vec<(Vec<u8>, Vec<u8>)>;

fn decoded(block: &[u8]) -> Result<Lines, Error> {
    let mut lines = Lines::new();
    Decoder::default().decode(block, |name, value| {
        lines.push((name.to_vec(), value.to_vec()));
        Ok::<(), Error>(())
    })?;
    Ok(lines)
}

fn lines(expected: &[(&str, &str)]) -> Lines {
    expected.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec())).collect()
}

/// The first answers of appendix C.5 and C.6, and the literals of C.2, which need no table.
#[test]
fn blocks_of_appendix_c() {
    let answer = lines(&[
        (":status", "302"),
        ("cache-control", "private"),
        ("date", "Mon, 21 Oct 2013 20:13:21 GMT"),
        ("location", "https://www.example.com"),
    ]);
    let plain = b"\x48\x03302\x58\x07private\x61\x1dMon, 21 Oct 2013 20:13:21 GMT\x6e\x17https://www.example.com";
    assert_eq!(decoded(plain), Ok(answer.clone()));
    let huffman = b"\x48\x82\x64\x02\x58\x85\xae\xc3\x77\x1a\x4b\x61\x96\xd0\x7a\xbe\x94\x10\x54\xd4\x44\xa8\x20\x05\
        \x95\x04\x0b\x81\x66\xe0\x82\xa6\x2d\x1b\xff\x6e\x91\x9d\x29\xad\x17\x18\x63\xc7\x8f\x0b\x97\xc8\xe9\xae\x82\
        \xae\x43\xd3";
    assert_eq!(decoded(huffman), Ok(answer));
    let table: [(&[u8], &str, &str); 4] = [
        (b"\x40\x0acustom-key\x0dcustom-header", "custom-key", "custom-header"),
        (b"\x04\x0c/sample/path", ":path", "/sample/path"),
        (b"\x10\x08password\x06secret", "password", "secret"),
        (b"\x82", ":method", "GET"),
    ];
    for (block, name, value) in table {
        assert_eq!(decoded(block), Ok(lines(&[(name, value)])));
    }
}

#[test]
fn blocks_that_are_none() {
    let table: [(&[u8], Error); 16] = [
        (b"\x80", Error::Index),
        (b"\xbe", Error::Index),
        (b"\x7e\x01a", Error::Index),
        (b"\xff", Error::Truncated),
        (b"\xff\x80", Error::Truncated),
        (b"\xff\x80\x80\x80\x80\x80\x00", Error::Number),
        (b"\xff\xff\xff\xff\xff\x7f", Error::Number),
        (b"\x40", Error::Truncated),
        (b"\x40\x01", Error::Truncated),
        (b"\x40\x01a", Error::Truncated),
        (b"\x40\x01a\x02b", Error::Truncated),
        (b"\x40\x7f\xff\xff\xff\xff\x0ea", Error::Truncated),
        (b"\x48\x81\x18", Error::Huffman),
        // Sizes: above ours, and behind a field.
        (b"\x21", Error::TableSize),
        (b"\x3f\xe1\x1f", Error::TableSize),
        (b"\x88\x20", Error::TableSize),
    ];
    for (block, error) in table {
        assert_eq!(decoded(block), Err(error), "{block:x?}");
    }
    assert_eq!(decoded(b"\x20\x20\x88"), Ok(lines(&[(":status", "200")])), "a size of 0, twice, is what we asked for");
}

#[test]
fn whoever_counts_the_fields_can_stop() {
    let mut left = 3;
    let stopped = Decoder::default().decode(&[0x88; 1000], |_, _| {
        left -= 1;
        if left == 0 { Err(Error::TableSize) } else { Ok(()) }
    });
    assert_eq!((stopped, left), (Err(Error::TableSize), 0));
}

/// A decoder with a table, as servers have: what our encoder writes has to mean the same to others.
fn server() -> loona_hpack::Decoder<'static> {
    let mut decoder = loona_hpack::Decoder::new();
    decoder.set_max_allowed_table_size(4096);
    decoder
}

#[test]
fn a_request_that_was_sent_before_is_short() {
    let mut fields = Fields::default();
    let cookie = "session=".to_owned() + &"0123456789abcdef".repeat(128);
    let request = [
        (":method", "GET"),
        (":scheme", "https"),
        (":authority", "example.com"),
        (":path", "/a/b?c"),
        ("cookie", &cookie),
        ("x-own", "value"),
    ];
    let list: Vec<_> = request.iter().map(|(name, value)| fields.add(name, value.as_bytes()).0).collect();
    let (mut encoder, mut decoder) = (Encoder::new(&fields), server());
    let mut lengths = Vec::new();
    for table_bytes in [None, None, Some(0), None, Some(2000), None, Some(1_000_000), None] {
        if let Some(bytes) = table_bytes {
            encoder.set_table_size(bytes);
        }
        let mut block = Vec::new();
        encoder.encode(&fields, &list, &mut block);
        assert_eq!(decoder.decode(&block), Ok(lines(&request)));
        lengths.push(block.len());
    }
    let [first, second, empty, empty_again, small, small_again, .., full_again] = lengths[..] else { panic!("eight") };
    assert!(first > 1000 && second < 15, "{lengths:?}");
    assert_eq!((empty_again, full_again), (empty - 1, second), "a size is told once: {lengths:?}");
    assert!(small_again < small && small_again > 1000, "the cookie has no room: {lengths:?}");
}

#[test]
fn a_table_that_is_full_stays_as_it_is() {
    let mut fields = Fields::default();
    let request: Vec<(String, String)> =
        (0..200).map(|number| (format!("x-{number}"), "v".repeat(number % 7))).collect();
    let list: Vec<_> = request.iter().map(|(name, value)| fields.add(name, value.as_bytes()).0).collect();
    let (mut encoder, mut decoder) = (Encoder::new(&fields), server());
    let expected: Lines =
        request.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec())).collect();
    let lengths = [(); 3].map(|()| {
        let mut block = Vec::new();
        encoder.encode(&fields, &list, &mut block);
        assert_eq!(decoder.decode(&block), Ok(expected.clone()));
        block.len()
    });
    assert!(lengths[1] < lengths[0] && lengths[1] == lengths[2], "{lengths:?}");
}

proptest! {
    /// Whatever the other decoder reads without its dynamic table, this one reads alike, but for sizes in odd places.
    #[test]
    fn two_decoders_agree(block in prop::collection::vec(prop_oneof![any::<u8>(), 0x80_u8..0xc0, 0_u8..8], 0..40)) {
        let mut other = loona_hpack::Decoder::new();
        other.set_max_table_size(0);
        other.set_max_allowed_table_size(0);
        match (decoded(&block), other.decode(&block)) {
            (Ok(own), Ok(others)) => prop_assert_eq!(own, others),
            // It reads numbers of four bytes behind the prefix at most, and minds a size at the end.
            (Ok(_), Err(error)) => prop_assert!(matches!(
                error,
                loona_hpack::decoder::DecoderError::SizeUpdateAtEnd
                    | loona_hpack::decoder::DecoderError::IntegerDecodingError(_)
            ), "{:?}", error),
            (Err(Error::TableSize), Ok(_)) => {}
            (Err(error), Ok(_)) => prop_assert!(false, "{:?}", error),
            (Err(_), Err(_)) => {}
        }
    }

    /// Random fields, through our encoder and both decoders.
    #[test]
    fn fields_survive(
        request in prop::collection::vec(("[a-z-]{1,12}", prop::collection::vec(any::<u8>(), 0..40)), 1..20),
        sizes in prop::collection::vec(prop::option::of(0_u32..5000), 1..4),
    ) {
        let mut fields = Fields::default();
        let list: Vec<_> = request.iter().map(|(name, value)| fields.add(name, value).0).collect();
        let expected: Lines = request.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.clone())).collect();
        let (mut encoder, mut decoder) = (Encoder::new(&fields), server());
        for size in sizes {
            if let Some(bytes) = size {
                encoder.set_table_size(bytes);
            }
            let mut block = Vec::new();
            encoder.encode(&fields, &list, &mut block);
            prop_assert_eq!(decoder.decode(&block), Ok(expected.clone()));
        }
        let mut without_table = Encoder::new(&fields);
        without_table.set_table_size(0);
        let mut block = Vec::new();
        without_table.encode(&fields, &list, &mut block);
        prop_assert_eq!(decoded(&block), Ok(expected));
    }
}
