//! The ring itself: the two queues and the call that moves them.
//!
//! The `io-uring` crate lends the parts of a ring while they are used. Here they are taken apart for good: borrowing
//! them anew for every entry costs, and the part that submits remembers that the ring is registered.
//!
//! Memory that queued operations name may be freed once the ring is dropped, even though the kernel ends the operations
//! only a little later. It moves their bytes inside `io_uring_enter` of this thread alone (DEFER_TASKRUN; operations on
//! sockets wait for readiness and are never left to a worker), and what it still ends afterwards is cancelled.

use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter, cqueue, squeue};
use std::io;
use std::ptr::NonNull;

pub(super) struct Ring {
    // Declared, and so dropped, before the owner.
    submitter: Submitter<'static>,
    submissions: SubmissionQueue<'static>,
    completions: CompletionQueue<'static>,
    // Kept for its drop.
    _owner: Owner,
}

/// Frees the instance once its parts are gone.
struct Owner(NonNull<IoUring>);

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: the pointer came from a box in `Ring::new`, and the parts that borrowed from it are dropped already.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // The registration is a reference to the instance. With it the instance would outlive its descriptor, sockets
        // and all, until the thread ends. It fails only if there is none.
        let _ = self.submitter.unregister_ring_fd();
    }
}

impl Ring {
    pub(super) fn new(ring: IoUring) -> Self {
        let owner = Owner(NonNull::from(Box::leak(Box::new(ring))));
        // SAFETY: the instance does not move and lives until `owner` is dropped, after the parts, which never leave
        // this structure; nothing else uses the pointer meanwhile.
        let (mut submitter, submissions, completions) = unsafe { &mut *owner.0.as_ptr() }.split();
        // Saves looking up the descriptor at each call. If there is no place left, the kernel goes on looking it up.
        let _ = submitter.register_ring_fd();
        Self { submitter, submissions, completions, _owner: owner }
    }

    pub(super) fn submitter(&self) -> &Submitter<'static> {
        &self.submitter
    }

    /// Queues entries, all or none. False if there is no room for them.
    ///
    /// # Safety
    /// What the entries point to must stay where it is until the operations have completed or the ring is dropped.
    #[inline]
    pub(super) unsafe fn push(&mut self, entries: &[squeue::Entry]) -> bool {
        // SAFETY: the caller's.
        unsafe { self.submissions.push_multiple(entries) }.is_ok()
    }

    pub(super) fn submit(&mut self) -> io::Result<()> {
        self.submissions.sync();
        self.submitter.submit()?;
        self.submissions.sync();
        Ok(())
    }

    /// Submits what is queued and waits for this many completions, or until a timer in the ring has gone off: that ends
    /// the wait however few there are.
    #[inline]
    pub(super) fn submit_and_wait(&mut self, completions: u32) -> io::Result<()> {
        self.submissions.sync();
        let result = self.submitter.submit_and_wait(completions as usize);
        self.finish(result)
    }

    /// Submits what is queued and makes the kernel do its deferred work, without waiting.
    #[inline]
    pub(super) fn submit_and_look(&mut self) -> io::Result<()> {
        // From io_uring.h, because the crate does not export it. Without it no deferred work is done.
        const IORING_ENTER_GETEVENTS: u32 = 1;
        self.submissions.sync();
        let queued = self.submissions.len() as u32;
        // SAFETY: no argument is passed; what queued entries point to was vouched for when they were pushed.
        let result = unsafe { self.submitter.enter::<libc::sigset_t>(queued, 0, IORING_ENTER_GETEVENTS, None) };
        self.finish(result)
    }

    #[inline]
    fn finish(&mut self, result: io::Result<usize>) -> io::Result<()> {
        self.submissions.sync();
        self.completions.sync();
        match result {
            Ok(_) => Ok(()),
            // A signal came; or more completions wait than fit, and have to be taken first.
            Err(error) if matches!(error.raw_os_error(), Some(libc::EINTR | libc::EBUSY | libc::EAGAIN)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// How many completions were there after the last wait.
    #[inline]
    pub(super) fn completions(&self) -> u32 {
        // The queue has 32,768 places at most.
        self.completions.len() as u32
    }

    /// The next completion of those that were there after the last wait.
    #[inline]
    pub(super) fn completion(&mut self) -> Option<cqueue::Entry> {
        self.completions.next()
    }
}
