//! The streams of one connection, from the client's side (RFC 9113, section 5.1): each has a place while it is open.

use super::flow::{ReceiveWindow, SendWindow};
use std::collections::VecDeque;

/// The number of a stream among those that are open at once. It is used again; the stream's own number is not.
pub type Place = u32;

/// Streams that we cancelled and the server has not ended: of so many it is known that frames may still come.
const MAX_CANCELLED: usize = 1024;

/// How much of a request's body has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Upload {
    Done,
    /// It waits for 100 Continue.
    Waits,
    /// So many bytes have left.
    From(usize),
}

/// An open stream: a request whose answer is not complete.
#[derive(Debug)]
pub(super) struct Stream {
    /// The number of its request.
    pub(super) request: u32,
    pub(super) has_head: bool,
    /// How much of the answer's body is still to come, if that is known.
    pub(super) body_left: Option<u64>,
    pub(super) receive: ReceiveWindow,
    pub(super) send: SendWindow,
    pub(super) upload: Upload,
}

impl Stream {
    /// A stream that opens.
    pub(super) fn new(request: u32, send: SendWindow, upload: Upload) -> Self {
        Self { request, has_head: false, body_left: None, receive: ReceiveWindow::new(), send, upload }
    }

    fn free() -> Self {
        Self::new(0, SendWindow::new(0), Upload::Done)
    }
}

#[derive(Debug)]
pub(super) struct Streams {
    /// The number of the stream at each place; 0, which no request's stream has, if it is free.
    ids: Box<[u32]>,
    list: Box<[Stream]>,
    open: u32,
    /// Streams whose request's body is on its way.
    uploading: u32,
    /// Whose turn it is to send a piece of its body.
    turn: Place,
    cancelled: VecDeque<u32>,
    /// Up to this number all cancelled streams are forgotten.
    forgotten: u32,
}

impl Streams {
    /// So many places, all free.
    pub(super) fn new(places: u32) -> Self {
        Self {
            ids: (0..places).map(|_| 0).collect(),
            list: (0..places).map(|_| Stream::free()).collect(),
            open: 0,
            uploading: 0,
            turn: 0,
            cancelled: VecDeque::new(),
            forgotten: 0,
        }
    }

    pub(super) fn places(&self) -> u32 {
        // Places are numbered in 32 bits.
        self.list.len() as u32
    }

    pub(super) fn open_count(&self) -> u32 {
        self.open
    }

    /// Opens a stream at a place that is free.
    #[inline]
    pub(super) fn open(&mut self, place: Place, id: u32, stream: Stream) {
        self.open += 1;
        self.uploading += u32::from(matches!(stream.upload, Upload::From(_)));
        self.ids[place as usize] = id;
        self.list[place as usize] = stream;
    }

    /// The place of an open stream.
    #[inline]
    pub(super) fn find(&self, id: u32) -> Option<Place> {
        if id == 0 {
            return None;
        }
        // Places are numbered in 32 bits.
        self.ids.iter().position(|&open| open == id).map(|place| place as Place)
    }

    /// A stream that the server never processed, if it says that it did up to this one.
    pub(super) fn above(&self, last: u32) -> Option<Place> {
        self.ids.iter().position(|&id| id > last).map(|place| place as Place)
    }

    /// The number of the stream at this place; 0 if it is free.
    #[inline]
    pub(super) fn id(&self, place: Place) -> u32 {
        self.ids.get(place as usize).copied().unwrap_or(0)
    }

    #[inline]
    pub(super) fn at(&mut self, place: Place) -> &mut Stream {
        &mut self.list[place as usize]
    }

    /// The stream is over. Returns its number, and whether its request has left whole.
    #[inline]
    pub(super) fn close(&mut self, place: Place) -> (u32, bool) {
        let stream = std::mem::replace(&mut self.list[place as usize], Stream::free());
        self.uploading -= u32::from(matches!(stream.upload, Upload::From(_)));
        self.open -= 1;
        (std::mem::take(&mut self.ids[place as usize]), stream.upload == Upload::Done)
    }

    pub(super) fn iter_open(&mut self) -> impl Iterator<Item = &mut Stream> {
        self.list.iter_mut().zip(&self.ids).filter(|(_, id)| **id != 0).map(|(stream, _)| stream)
    }

    /// Sets how much of the body at this place has left.
    pub(super) fn set_upload(&mut self, place: Place, upload: Upload) {
        let is_uploading = |upload| u32::from(matches!(upload, Upload::From(_)));
        let stream = &mut self.list[place as usize];
        self.uploading += is_uploading(upload);
        self.uploading -= is_uploading(stream.upload);
        stream.upload = upload;
    }

    /// Whose body may send its next piece.
    pub(super) fn find_upload(&self) -> Option<Place> {
        if self.uploading == 0 {
            return None;
        }
        (self.turn..self.list.len() as Place).chain(0..self.turn).find(|&place| {
            let stream = &self.list[place as usize];
            matches!(stream.upload, Upload::From(_)) && stream.send.room() > 0
        })
    }

    /// The same, and it is the next one's turn afterwards.
    pub(super) fn next_upload(&mut self) -> Option<Place> {
        let place = self.find_upload()?;
        self.turn = (place + 1) % self.list.len() as Place;
        Some(place)
    }

    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        self.cancelled.capacity() * size_of::<u32>()
    }

    /// Remembers that frames may still come on a stream which we ended.
    pub(super) fn add_cancelled(&mut self, id: u32) {
        if self.cancelled.len() == MAX_CANCELLED
            && let Some(oldest) = self.cancelled.pop_front()
        {
            self.forgotten = self.forgotten.max(oldest);
        }
        self.cancelled.push_back(id);
    }

    /// Whether frames may come on a stream that is not open.
    pub(super) fn was_cancelled(&self, id: u32) -> bool {
        id <= self.forgotten || self.cancelled.contains(&id)
    }

    /// The server has ended a stream that we cancelled.
    pub(super) fn end_cancelled(&mut self, id: u32) {
        self.cancelled.retain(|&cancelled| cancelled != id);
    }
}
