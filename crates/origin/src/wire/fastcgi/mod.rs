//! FastCGI 1.0, the responder's side. One request at a time per connection: a second one in between is refused, as
//! FCGI_GET_VALUES announces (FCGI_MPXS_CONNS=0).

mod answer;
pub mod params;
mod receive;
#[allow(missing_docs, reason = "the names are those of the specification")]
pub mod record;

pub(crate) use answer::encode;
pub(crate) use receive::FastCgi;
