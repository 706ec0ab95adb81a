package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/fcgi"
	"strings"
)

// options of the listeners.
type options struct {
	noDelay          bool
	certificate, key string
}

// serve listens at LINK:ADDRESS and serves until something fails.
func serve(wanted string, handler http.Handler, options options) error {
	link, address, found := strings.Cut(wanted, ":")
	wire, network, split := strings.Cut(link, "+")
	if !found || !split {
		return fmt.Errorf("-listen %s: expected LINK:ADDRESS", wanted)
	}
	if network == "tls" {
		network = "tcp"
	}
	listener, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	if !options.noDelay {
		listener = delaying{listener}
	}
	switch wire {
	case "http":
		return http.Serve(listener, handler)
	case "https":
		server := http.Server{
			Handler:      handler,
			TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // empty: HTTP/1.1, as at nginx
		}
		return server.ServeTLS(listener, options.certificate, options.key)
	case "http2":
		return http.ServeTLS(listener, handler, options.certificate, options.key)
	case "fastcgi":
		return fcgi.Serve(listener, handler)
	}
	return fmt.Errorf("-listen %s: no wire is called %s", wanted, wire)
}

// delaying hands out TCP connections that wait for more before they send a small packet (Nagle's algorithm).
type delaying struct{ net.Listener }

func (d delaying) Accept() (net.Conn, error) {
	connection, err := d.Listener.Accept()
	if tcp, is := connection.(*net.TCPConn); is {
		err = tcp.SetNoDelay(false)
	}
	return connection, err
}
