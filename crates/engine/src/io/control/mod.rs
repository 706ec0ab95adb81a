//! Connections between machines that steer a run: TLS 1.3, both sides with a certificate, and frames inside. They are
//! no part of any load.

mod credentials;
mod frames;
mod secure;

pub use credentials::{Credentials, is_named};
pub use frames::FrameTooLong;
pub use secure::{Received, Secure, tls_error};
