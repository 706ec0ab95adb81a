//! The text of `/text/N`: words of a language, the frequent ones often, so that it compresses about as pages do.

use hopcost_common::seeds;
use std::sync::LazyLock;

/// How much is written; a longer text begins again, out of the reach of deflate, which looks back 32 KiB.
pub(super) const LENGTH: usize = 256 << 10;
const SEED: u64 = 7;
const WORDS_OF_A_LINE: u64 = 12;

/// The frequent ones first.
const WORDS: &str = "the of and to a in is for that it on with as be at by this from or are an not you have was they \
    but can all your which will one has more if their new other about out time when up use how we its who also what \
    some only them into first two then than over like now may so these any where most after made work many way year \
    each page people order price service number system name part place product site answer server question request \
    account address article available because before between business change city color comment company contact \
    content country customer date delivery detail email event example family feature following friday general group \
    history home house image important include information interest item january language large learn level library \
    little local machine market material member message method minute modern month morning music national natural \
    notice office online original paper payment picture policy popular position possible present privacy problem \
    process program project public quality quick reading reason record region report result review season second \
    section security shipping simple small social special standard state story street student subject summer support \
    table telephone thousand together tomorrow travel university value version visit water weather website weekend \
    window within without world writer young";

/// So many bytes of it as there are; made when it is first asked for.
pub(super) fn text() -> &'static [u8] {
    static TEXT: LazyLock<Vec<u8>> = LazyLock::new(write);
    &TEXT
}

fn write() -> Vec<u8> {
    let words: Vec<&str> = WORDS.split_ascii_whitespace().collect();
    let mut bytes = Vec::with_capacity(LENGTH + 16);
    let mut written = 0;
    while bytes.len() < LENGTH {
        // The smaller of two draws: the first words come often, the last ones seldom.
        let drawn = seeds::fraction(SEED, 2 * written).min(seeds::fraction(SEED, 2 * written + 1));
        let word = words[((drawn * words.len() as f64) as usize).min(words.len() - 1)];
        bytes.extend_from_slice(word.as_bytes());
        written += 1;
        bytes.push(if written % WORDS_OF_A_LINE == 0 { b'\n' } else { b' ' });
    }
    bytes.truncate(LENGTH);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_text_of_its_length_and_the_same_each_time() {
        assert_eq!(text().len(), LENGTH);
        assert!(text().iter().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b' ' | b'\n')));
        assert_eq!(text(), write());
    }
}
