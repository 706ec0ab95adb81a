//! Answers as FastCGI records: a CGI head and the body in STDOUT, then the end of the request.

use super::record;
use crate::answer::{Answer, Ending, Extent, Framing, Route, Surplus};
use crate::wire::stream::{BodyStream, Wrap};
use crate::wire::{SMALL_BODY_BYTES, push_head};

const STRAY: &[u8; 16] = b"sixteen strays!\n";
/// The padding of the many records that stand for chunked coding here.
const MUCH_PADDING: u8 = 200;

/// Appends the answer to request `id`; a long or slow body comes back as a stream.
pub(crate) fn encode(answer: Answer, id: u16, date: &str, out: &mut Vec<u8>) -> Option<BodyStream> {
    let start = out.len();
    let end = answer.body_bytes();
    let cut_head = matches!(answer.extent, Extent::Half | Extent::HalfHead) && !answer.has_body();
    let one_record =
        end <= SMALL_BODY_BYTES && answer.pause_ns == 0 && answer.framing != Framing::Pieces && !answer.huge_head;

    // The record's header comes first; its lengths are filled in once they are known.
    record::header(out, record::STDOUT, id, 0, 0);
    out.extend_from_slice(b"Status: ");
    push_head(&answer, date, false, out);
    if answer.huge_head {
        let head = out.split_off(start + record::HEADER_BYTES);
        out.truncate(start);
        record::stream(out, record::STDOUT, id, &head);
    } else if one_record {
        let mut at = 0;
        while at < end {
            let piece = answer.payload.piece(at, (end - at) as usize);
            out.extend_from_slice(piece);
            at += piece.len() as u64;
        }
        finish_record(out, start);
    } else {
        finish_record(out, start);
    }
    if cut_head {
        out.truncate(start + (out.len() - start) / 2);
        return None;
    }

    let mut tail = Vec::new();
    if answer.ending != Ending::Reset {
        record::header(&mut tail, record::STDOUT, id, 0, 0);
        record::end_request(&mut tail, id, record::REQUEST_COMPLETE);
    }
    match answer.surplus {
        Surplus::None => {}
        Surplus::Bytes => record::stream(&mut tail, record::STDOUT, id, STRAY),
        Surplus::Answer => {
            // The body of /hello never becomes a stream.
            let _ = encode(Route::Hello.answer(0), id, date, &mut tail);
        }
    }
    if one_record {
        out.append(&mut tail);
        return None;
    }
    let (padding, most) = match answer.framing {
        Framing::Pieces => (Some(MUCH_PADDING), (end as usize / 3 + 1).min(16 << 10)),
        Framing::Length | Framing::UntilClose if answer.pause_ns > 0 => (None, (end as usize).div_ceil(10).min(65_528)),
        Framing::Length | Framing::UntilClose => (None, 65_528),
    };
    let stream = BodyStream::new(answer.payload, end, Wrap::Records { id, padding }, most, answer.pause_ns, tail);
    if end <= SMALL_BODY_BYTES && answer.pause_ns == 0 {
        stream.append_whole(out);
        return None;
    }
    Some(stream)
}

/// Fills in the lengths of the record that began at `start` and pads it.
fn finish_record(out: &mut Vec<u8>, start: usize) {
    let content = out.len() - start - record::HEADER_BYTES;
    let padding = content.wrapping_neg() & 7;
    // A head without filler and a small body are far below 65,535 bytes.
    out[start + 4..start + 6].copy_from_slice(&(content as u16).to_be_bytes());
    out[start + 6] = padding as u8;
    out.resize(out.len() + padding, 0);
}
