//! The Huffman code of HPACK (RFC 7541, section 5.2 and appendix B).

use super::Error;

const SYMBOLS: usize = 257;
/// Ends no string: whoever sends it whole breaks the code (section 5.2).
const END_OF_STRING: usize = 256;

/// How many bits the code of each symbol has. The code is canonical, so that the codes follow from the lengths.
#[rustfmt::skip]
const LENGTHS: [u8; SYMBOLS] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7,
    7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
    23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,
    21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];
const MIN_LENGTH: u8 = 5;
const MAX_LENGTH: u8 = 30;

/// The code of each symbol, in its lowest bits: shorter codes before longer ones, symbols of the same length in order.
static CODES: [u32; SYMBOLS] = codes();

const fn codes() -> [u32; SYMBOLS] {
    let mut codes = [0; SYMBOLS];
    let mut code = 0;
    let mut length = MIN_LENGTH;
    while length <= MAX_LENGTH {
        let mut symbol = 0;
        while symbol < SYMBOLS {
            if LENGTHS[symbol] == length {
                codes[symbol] = code;
                code += 1;
            }
            symbol += 1;
        }
        code <<= 1;
        length += 1;
    }
    codes
}

/// A code tree of 257 leaves has 256 places where it forks.
const FORKS: usize = SYMBOLS - 1;
/// From here on a child is a leaf: this and its symbol.
const LEAF: u16 = 256;

/// Where a 0 and a 1 lead from each fork. The root is fork 0.
const CHILDREN: [[u16; 2]; FORKS] = children();

const fn children() -> [[u16; 2]; FORKS] {
    let codes = codes();
    // The root is nobody's child, so 0 is a way not yet made.
    let mut children = [[0; 2]; FORKS];
    let mut forks = 1;
    let mut symbol = 0;
    while symbol < SYMBOLS {
        let mut fork = 0;
        let mut left = LENGTHS[symbol];
        while left > 0 {
            left -= 1;
            let bit = (codes[symbol] >> left & 1) as usize;
            if left == 0 {
                children[fork][bit] = LEAF + symbol as u16;
            } else {
                if children[fork][bit] == 0 {
                    children[fork][bit] = forks;
                    forks += 1;
                }
                fork = children[fork][bit] as usize;
            }
        }
        symbol += 1;
    }
    children
}

/// What four bits do at a fork.
#[derive(Debug, Clone, Copy)]
struct Step {
    fork: u8,
    output: Output,
}

/// The shortest code has five bits, so four bits complete one symbol at most.
#[derive(Debug, Clone, Copy)]
enum Output {
    Nothing,
    Symbol(u8),
    EndOfString,
}

static STEPS: [[Step; 16]; FORKS] = steps();

const fn steps() -> [[Step; 16]; FORKS] {
    let mut steps = [[Step { fork: 0, output: Output::Nothing }; 16]; FORKS];
    let mut start = 0;
    while start < FORKS {
        let mut four_bits = 0;
        while four_bits < 16 {
            let mut fork = start;
            let mut output = Output::Nothing;
            let mut left = 4;
            while left > 0 {
                left -= 1;
                let child = CHILDREN[fork][four_bits >> left & 1];
                if child < LEAF {
                    fork = child as usize;
                } else {
                    let symbol = (child - LEAF) as usize;
                    output = if symbol == END_OF_STRING { Output::EndOfString } else { Output::Symbol(symbol as u8) };
                    fork = 0;
                }
            }
            steps[start][four_bits] = Step { fork: fork as u8, output };
            four_bits += 1;
        }
        start += 1;
    }
    steps
}

/// Whether a string may end at a fork: after whole symbols and at most seven bits of padding, all ones (section 5.2).
static MAY_END: [bool; FORKS] = may_end();

const fn may_end() -> [bool; FORKS] {
    let mut may_end = [false; FORKS];
    let mut fork = 0;
    let mut padding = 0;
    while padding <= 7 {
        may_end[fork] = true;
        // The code of thirty ones is the only one with more than seven in front: no leaf is met.
        fork = CHILDREN[fork][1] as usize;
        padding += 1;
    }
    may_end
}

/// Decodes a string and adds it to `output`. It gets longer than `input` by 8 / 5 at most.
pub(super) fn decode(input: &[u8], output: &mut Vec<u8>) -> Result<(), Error> {
    let mut fork = 0_u8;
    for &byte in input {
        for four_bits in [byte >> 4, byte & 15] {
            let step = STEPS[usize::from(fork)][usize::from(four_bits)];
            match step.output {
                Output::Nothing => {}
                Output::Symbol(symbol) => output.push(symbol),
                Output::EndOfString => return Err(Error::Huffman),
            }
            fork = step.fork;
        }
    }
    if MAY_END[usize::from(fork)] { Ok(()) } else { Err(Error::Huffman) }
}

/// How many bytes a string has in this code.
pub(super) fn encoded_bytes(input: &[u8]) -> usize {
    input.iter().map(|&byte| usize::from(LENGTHS[usize::from(byte)])).sum::<usize>().div_ceil(8)
}

/// Encodes a string and adds it to `output`.
pub(super) fn encode(input: &[u8], output: &mut Vec<u8>) {
    // The lowest bits are still to be written: less than 8 of an earlier symbol, and at most 30 of a new one.
    let (mut bits, mut count) = (0_u64, 0);
    for &byte in input {
        let symbol = usize::from(byte);
        bits = bits << LENGTHS[symbol] | u64::from(CODES[symbol]);
        count += LENGTHS[symbol];
        while count >= 8 {
            count -= 8;
            output.push((bits >> count & 0xff) as u8);
        }
    }
    if count > 0 {
        let padding = 8 - count;
        output.push((bits << padding & 0xff) as u8 | ((1_u16 << padding) - 1) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(input: &[u8]) -> Result<Vec<u8>, Error> {
        let mut output = Vec::new();
        decode(input, &mut output).map(|()| output)
    }

    #[test]
    fn the_code_of_appendix_b() {
        // Symbol, code and length as the appendix has them: the first and the last of some lengths.
        for (symbol, code, length) in [
            (usize::from(b'0'), 0x0, 5),
            (usize::from(b't'), 0x9, 5),
            (usize::from(b' '), 0x14, 6),
            (usize::from(b'u'), 0x2d, 6),
            (usize::from(b':'), 0x5c, 7),
            (usize::from(b'Z'), 0xfd, 8),
            (usize::from(b'{'), 0x7ffe, 15),
            (0, 0x1ff8, 13),
            (10, 0x3fff_fffc, 30),
            (255, 0x3ff_ffee, 26),
            (END_OF_STRING, 0x3fff_ffff, 30),
        ] {
            assert_eq!((CODES[symbol], LENGTHS[symbol]), (code, length), "{symbol}");
        }
        let kraft: u64 = LENGTHS.iter().map(|&length| 1 << (MAX_LENGTH - length)).sum();
        assert_eq!(kraft, 1 << MAX_LENGTH, "a complete code");
    }

    #[test]
    fn strings_of_appendix_c() {
        let table: [(&str, &[u8]); 4] = [
            ("www.example.com", &[0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff]),
            ("no-cache", &[0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf]),
            ("custom-value", &[0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xb8, 0xe8, 0xb4, 0xbf]),
            ("302", &[0x64, 0x02]),
        ];
        for (text, code) in table {
            assert_eq!(decoded(code).as_deref(), Ok(text.as_bytes()));
            let mut encoded = Vec::new();
            encode(text.as_bytes(), &mut encoded);
            assert_eq!((encoded.as_slice(), encoded_bytes(text.as_bytes())), (code, code.len()), "{text}");
        }
    }

    #[test]
    fn padding_is_of_ones_and_shorter_than_a_byte() {
        // `a` is 00011, and three bits of padding follow.
        assert_eq!(decoded(&[0b0001_1111]).as_deref(), Ok(&b"a"[..]));
        for wrong in [&[0b0001_1110_u8][..], &[0b0001_1000], &[0b0001_1111, 0xff], &[0xff], &[0xff; 4], &[0xff; 5]] {
            assert_eq!(decoded(wrong), Err(Error::Huffman), "{wrong:x?}");
        }
        assert_eq!(decoded(&[]).as_deref(), Ok(&b""[..]));
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(text in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut encoded = Vec::new();
            encode(&text, &mut encoded);
            prop_assert_eq!(encoded.len(), encoded_bytes(&text));
            prop_assert_eq!(decoded(&encoded), Ok(text));
        }

        #[test]
        fn each_string_has_one_code(code in prop::collection::vec(any::<u8>(), 0..12)) {
            if let Ok(text) = decoded(&code) {
                let mut again = Vec::new();
                encode(&text, &mut again);
                prop_assert_eq!(again, code);
            }
        }
    }
}
