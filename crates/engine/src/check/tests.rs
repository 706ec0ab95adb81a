//! Judgements of answers in pieces.

use super::*;

fn judge(check: &mut Check, pieces: &[&[u8]]) -> Option<Correct> {
    let mut progress = Progress::default();
    check.begin(&mut progress);
    for piece in pieces {
        check.body(&mut progress, piece);
    }
    check.end(&mut progress)
}

fn expecting(body: ExpectedBody) -> Check {
    Check::new(ExpectedStatus::Exactly(200), body)
}

#[test]
fn bytes_are_compared_in_any_pieces() {
    let mut check = expecting(ExpectedBody::Bytes(b"Hello".as_slice().into()));
    assert_eq!(judge(&mut check, &[b"Hello"]), Some(Correct::Compared));
    assert_eq!(judge(&mut check, &[b"He", b"", b"llo"]), Some(Correct::Compared));
    let wrong: [&[&[u8]]; 5] = [&[], &[b"Hell"], &[b"Hello "], &[b"Hallo"], &[b"Hello", b"!"]];
    for pieces in wrong {
        assert_eq!(judge(&mut check, pieces), None, "{pieces:?}");
    }
}

#[test]
fn bytes_under_a_mask_may_be_any_and_the_length_counts() {
    let body = MaskedBody::new(b"token=abc;", &[(6, 9)]).expect("ranges of the body");
    let mut check = expecting(ExpectedBody::Masked(Arc::new(body)));
    for right in [&[&b"token=abc;"[..]][..], &[b"token=xyz;"], &[b"tok", b"en=x", b"", b"yz;"]] {
        assert_eq!(judge(&mut check, right), Some(Correct::Compared), "{right:?}");
    }
    let wrong: [&[&[u8]]; 5] = [&[b"Token=abc;"], &[b"token=xyz:"], &[b"token=xy;"], &[b"token=wxyz;"], &[]];
    for pieces in wrong {
        assert_eq!(judge(&mut check, pieces), None, "{pieces:?}");
    }
}

#[test]
fn statuses() {
    let check = Check::new(ExpectedStatus::Successful, ExpectedBody::Any);
    assert!(check.status(200) && check.status(299) && !check.status(300) && !check.status(199));
    let check = Check::new(ExpectedStatus::Exactly(404), ExpectedBody::Any);
    assert!(check.status(404) && !check.status(200));
}

#[test]
fn a_digest_that_was_asked_for() {
    for length in [5, COMPARED_BYTES as usize + 1] {
        let right = vec![7_u8; length];
        let mut wrong = right.clone();
        wrong[2] = 8;
        let digest = ring::digest::digest(&ring::digest::SHA256, &right);
        let mut check = expecting(ExpectedBody::Sha256(digest.as_ref().try_into().expect("32 bytes")));
        assert_eq!(judge(&mut check, &[&wrong]), None);
        assert_eq!(judge(&mut check, &[&right[..2], &right[2..]]), Some(Correct::Compared));
        assert_eq!(judge(&mut check, &[&wrong]), None);
        assert_eq!(judge(&mut check, &[&right[..2]]), None);
        assert_eq!(judge(&mut check, &[&wrong]).is_none(), length == 5, "of long ones one in sixteen");
    }
}

#[test]
fn something_in_it() {
    let mut check = expecting(ExpectedBody::Contains(Arc::new(Needle::new(b"aab"))));
    for right in [&[&b"aab"[..]][..], &[b"xxa", b"a", b"bxx"], &[b"aaab"]] {
        assert_eq!(judge(&mut check, right), Some(Correct::NotCompared), "{right:?}");
    }
    assert_eq!(judge(&mut check, &[b"aa", b"aab"[..1].as_ref()]), None);
}

#[test]
fn any_body_and_a_length() {
    assert_eq!(judge(&mut expecting(ExpectedBody::Any), &[b"x"]), Some(Correct::NotCompared));
    let mut check = expecting(ExpectedBody::Length(2));
    assert_eq!(judge(&mut check, &[b"xy"]), Some(Correct::NotCompared));
    assert_eq!(judge(&mut check, &[b"xyz"]), None);
}

#[test]
fn of_long_bodies_one_in_sixteen_is_compared_and_the_length_always() {
    let right = vec![7_u8; COMPARED_BYTES as usize + 1];
    let mut wrong = right.clone();
    wrong[9] = 8;
    let mut learned = expecting(ExpectedBody::First(Arc::default()));
    assert_eq!(judge(&mut learned, &[&right]), Some(Correct::Compared));
    let masked = MaskedBody::new(&right, &[(0, 9), (10, 11)]).expect("ranges of the body");
    let known = [ExpectedBody::Bytes(right.as_slice().into()), ExpectedBody::Masked(Arc::new(masked))];
    for mut check in known.map(expecting).into_iter().chain([learned]) {
        let compared = (0..32).filter(|_| judge(&mut check, &[&right[..9], &right[9..]]) == Some(Correct::Compared));
        assert_eq!(compared.count(), 2);
        assert_eq!((0..32).filter(|_| judge(&mut check, &[&wrong]).is_none()).count(), 2);
        assert_eq!((0..32).filter(|_| judge(&mut check, &[&wrong[1..]]).is_none()).count(), 32);
    }
}

#[test]
fn the_first_answer_is_the_reference_for_all_lanes() {
    let shared = Arc::new(OnceLock::new());
    let mut lanes = [0, 1].map(|_| expecting(ExpectedBody::First(Arc::clone(&shared))));
    let (mut early, mut late) = (Progress::default(), Progress::default());
    lanes[0].begin(&mut early);
    lanes[1].begin(&mut late);
    lanes[1].body(&mut late, b"other");
    lanes[0].body(&mut early, b"first");
    assert_eq!(lanes[0].end(&mut early), Some(Correct::Compared));
    assert_eq!(lanes[1].end(&mut late), None, "it began before the reference was known");
    assert_eq!(judge(&mut lanes[1], &[b"first"]), Some(Correct::Compared));
    assert_eq!(judge(&mut lanes[1], &[b"third"]), None);
}
