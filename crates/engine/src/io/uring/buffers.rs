//! The ring of buffers that the kernel fills.
//!
//! The kernel writes to the memory and reads the ring, so both are raw. They are freed after the io_uring instance was
//! dropped (ring.rs says why that is late enough).

use super::super::IoSettings;
use io_uring::{Submitter, types::BufRingEntry};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

/// The only group of buffers.
pub(super) const GROUP: u16 = 0;
/// The size of all buffers together. They are used in turn, so few of them stay in the core's cache.
const MAX_BUFFERS_BYTES: usize = 2 << 20;
const MAX_BUFFERS: usize = 512;
const PAGE_BYTES: usize = 4096;
/// The first bytes of a buffer are often the only ones used. If buffers were a power of two apart, these bytes would
/// compete for a few places of the cache. An odd number of cache lines in between spreads them over all places.
const SPREAD_BYTES: usize = 3 * 64;

#[derive(Debug)]
pub(super) struct Buffers {
    ring: NonNull<BufRingEntry>,
    ring_layout: Layout,
    memory: NonNull<u8>,
    memory_layout: Layout,
    count: u16,
    buffer_bytes: usize,
    /// From the start of one buffer to the next.
    stride_bytes: usize,
    /// The next free place of the ring, not yet told to the kernel.
    tail: u16,
}

fn allocate(layout: Layout) -> NonNull<u8> {
    // SAFETY: neither layout has size 0.
    NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
}

impl Buffers {
    /// `count` buffers, a power of two up to 32768, all given to the kernel.
    pub(super) fn new(submitter: &Submitter<'_>, count: u16, buffer_bytes: usize) -> io::Result<Self> {
        let invalid = |_| io::Error::from(io::ErrorKind::InvalidInput);
        let ring_bytes = usize::from(count) * size_of::<BufRingEntry>();
        let ring_layout = Layout::from_size_align(ring_bytes, PAGE_BYTES).map_err(invalid)?;
        let stride_bytes = buffer_bytes + SPREAD_BYTES;
        let memory_layout = Layout::from_size_align(usize::from(count) * stride_bytes, PAGE_BYTES).map_err(invalid)?;
        let mut buffers = Self {
            ring: allocate(ring_layout).cast(),
            ring_layout,
            memory: allocate(memory_layout),
            memory_layout,
            count,
            buffer_bytes,
            stride_bytes,
            tail: 0,
        };
        for id in 0..count {
            buffers.give_back(id);
        }
        buffers.publish();
        // SAFETY: the ring has `count` entries. It and the memory are freed only in `drop`, and the owner drops the
        // io_uring instance before: from then on the kernel moves no bytes (ring.rs).
        unsafe { submitter.register_buf_ring_with_flags(buffers.ring.as_ptr() as u64, count, GROUP, 0)? };
        Ok(buffers)
    }

    /// What the kernel wrote into a buffer that it handed over.
    #[inline]
    pub(super) fn filled(&self, id: u16, length: usize) -> &[u8] {
        assert!(id < self.count && length <= self.buffer_bytes, "the kernel hands over only buffers that it was given");
        // SAFETY: within the memory by the assertion, initialised by alloc_zeroed, and the kernel does not write to a
        // buffer between handing it over and `give_back`, which needs `&mut self`.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(usize::from(id) * self.stride_bytes), length) }
    }

    /// Puts a buffer back; the kernel sees it after [`Buffers::publish`].
    #[inline]
    pub(super) fn give_back(&mut self, id: u16) {
        let place = usize::from(self.tail & (self.count - 1));
        // SAFETY: the place is within the ring, and the address is that of a buffer within the memory. The kernel reads
        // an entry only once the tail has passed it. The tail itself lies in a field of the first entry that none of
        // the setters touches.
        unsafe {
            let entry = &mut *self.ring.as_ptr().add(place);
            entry.set_addr(self.memory.as_ptr().add(usize::from(id) * self.stride_bytes) as u64);
            entry.set_len(self.buffer_bytes as u32);
            entry.set_bid(id);
        }
        self.tail = self.tail.wrapping_add(1);
    }

    /// Tells the kernel of the buffers put back.
    #[inline]
    pub(super) fn publish(&self) {
        // SAFETY: the tail lies within the ring, is aligned, and only this thread writes it; the kernel reads it, hence
        // the release store.
        unsafe {
            let tail = BufRingEntry::tail(self.ring.as_ptr()).cast_mut();
            AtomicU16::from_ptr(tail).store(self.tail, Ordering::Release);
        }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: both were allocated with these layouts, and the kernel uses them no more (see `new`).
        unsafe {
            dealloc(self.ring.as_ptr().cast(), self.ring_layout);
            dealloc(self.memory.as_ptr(), self.memory_layout);
        }
    }
}

/// How many buffers of which size: one answer should fit into one.
pub(super) fn buffers_for(settings: &IoSettings) -> (u16, usize) {
    let buffer_bytes = match settings.answer_bytes {
        Some(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX).clamp(1024, 65_536).next_power_of_two(),
        None => 8192,
    };
    let count = (MAX_BUFFERS_BYTES / buffer_bytes).min(settings.connections.next_power_of_two() as usize * 2);
    // Between 16 and 512, so it fits.
    (count.clamp(16, MAX_BUFFERS) as u16, buffer_bytes)
}

#[cfg(test)]
mod tests {
    use super::super::super::{Address, Messages};
    use super::*;

    #[test]
    fn buffers_fit_answers_and_memory() {
        let settings = |connections, answer_bytes| IoSettings {
            address: Address::Unix("/".into()),
            messages: Messages::default(),
            tls: None,
            connections,
            batch: 1,
            answer_bytes,
            bytes_per_s: None,
        };
        assert_eq!(buffers_for(&settings(64, Some(200))), (128, 1024));
        assert_eq!(buffers_for(&settings(10_000, Some(200))), (512, 1024));
        assert_eq!(buffers_for(&settings(10_000, None)), (256, 8192));
        assert_eq!(buffers_for(&settings(1, Some(1 << 20))), (16, 65_536));
        assert_eq!(buffers_for(&settings(1000, Some(1 << 20))), (32, 65_536));
    }
}
