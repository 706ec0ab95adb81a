//! Opening and closing sockets.

use super::super::{Address, Opened, Slot, socket};
use super::Uring;
use super::tag::{Operation, tag};
use io_uring::types::{CancelBuilder, DestinationSlot, Fixed};
use io_uring::{opcode, squeue};
use std::io;
use std::os::fd::AsRawFd as _;

impl Uring {
    pub(super) fn open_socket(&mut self, slot: Slot) -> io::Result<Opened> {
        let is_short = self.is_short;
        let by_the_ring = is_short && matches!(self.settings.address, Address::Tcp(_));
        if self.closes && !by_the_ring {
            // A Close for this slot may still be queued; submit it first, or it would close the new socket.
            self.submit()?;
        }
        let connection = &mut self.connections[slot as usize];
        let tag = tag(Operation::Connect, connection.generation, slot);
        let address = &self.address;
        let family = address.address_family();
        let connect = opcode::Connect::new(Fixed(slot), address.as_ptr().cast(), address.addr_len());
        let connect = connect.build().user_data(tag);
        match &self.settings.address {
            // The ring would wait for ever if the queue of a Unix socket is full.
            Address::Unix(_) => {
                let (socket, _) = socket::connect(address)?;
                // The ring has its own reference from here on.
                self.ring.submitter().register_files_update(slot, &[socket.as_raw_fd()])?;
                connection.is_open = true;
                self.arm_receive(slot)?;
                Ok(Opened::Connected)
            }
            Address::Tcp(_) if is_short => {
                connection.is_open = true;
                connection.is_busy = true;
                let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK;
                // Slots are far below the largest that there may be.
                let place = DestinationSlot::try_from_slot_target(slot).map_err(|_| io::ErrorKind::InvalidInput)?;
                let make = opcode::Socket::new(family.as_raw().into(), kind, 0).file_index(Some(place)).build();
                let make = make.flags(squeue::Flags::IO_LINK | squeue::Flags::SKIP_SUCCESS).user_data(tag);
                self.push_all(&[make, connect])?;
                self.connections[slot as usize].queued_in = self.batch_number;
                Ok(Opened::InProgress)
            }
            Address::Tcp(_) => {
                let socket = socket::unconnected(family)?;
                self.ring.submitter().register_files_update(slot, &[socket.as_raw_fd()])?;
                connection.is_open = true;
                connection.is_busy = true;
                self.push_for(slot, &connect)?;
                Ok(Opened::InProgress)
            }
        }
    }

    /// Closes a connection, after the operations that are queued for it.
    pub(super) fn close_socket(&mut self, slot: Slot) {
        if self.connections[slot as usize].queued_in == self.batch_number {
            // Queued operations name only the slot, and must not go to the slot's next connection. If this fails, so
            // will the next wait.
            let _ = self.submit();
        }
        let is_short = self.is_short;
        let connection = &mut self.connections[slot as usize];
        if let Some(outbox) = connection.outbox.take() {
            self.orphans.push((tag(Operation::LongSend, connection.generation, slot), outbox));
        }
        connection.generation = connection.generation.wrapping_add(1);
        if !std::mem::take(&mut connection.is_open) {
            return;
        }
        let other = tag(Operation::Other, 0, slot);
        let close = opcode::Close::new(Fixed(slot)).build().flags(squeue::Flags::SKIP_SUCCESS).user_data(other);
        let mut result = Ok(());
        if std::mem::take(&mut connection.is_busy) || !is_short {
            connection.receives_once = true;
            // The operation that is under way holds the socket.
            let cancel = opcode::AsyncCancel2::new(CancelBuilder::fd(Fixed(slot)).all()).build();
            result = self.push(&cancel.flags(squeue::Flags::SKIP_SUCCESS).user_data(other));
        }
        self.closes = true;
        // If this fails, so will the next wait.
        let _ = result.and_then(|()| self.push(&close));
    }
}
