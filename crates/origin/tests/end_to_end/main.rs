//! Whole-program tests: the real binary, real sockets, exact counts in its log. No test asserts a time that a busy machine can break.

mod command;
mod fastcgi;
mod faults_fastcgi;
mod faults_http;
mod hostile;
mod http;
mod scripts;
mod support;
