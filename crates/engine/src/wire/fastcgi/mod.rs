//! FastCGI 1.0 as a client: one responder request at a time on a connection, always under request id 1, as nginx does.

mod request;
mod response;

pub use request::{Parameters, request_bytes};
pub use response::Response;

const VERSION: u8 = 1;
const REQUEST_ID: u16 = 1;
const HEADER_BYTES: usize = 8;

const BEGIN_REQUEST: u8 = 1;
const END_REQUEST: u8 = 3;
const PARAMS: u8 = 4;
const STDIN: u8 = 5;
const STDOUT: u8 = 6;
const STDERR: u8 = 7;
