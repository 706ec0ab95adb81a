// Command go-proxy forwards HTTP from TCP or a Unix socket to an HTTP server on TCP or a Unix socket, with the reverse
// proxy of Go's standard library.
package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("go-proxy: ")
	listen := flag.String("listen", "", "LINK:ADDRESS; LINK is http+tcp, http+unix or https+tcp, with tls.crt and tls.key")
	upstreams := flag.String("upstreams", "", "where to forward to: LINK:ADDRESS, several with commas between them, in turn")
	keepalive := flag.Int("upstream-keepalive", 0, "idle connections that are kept to each upstream; 0: one connection per request")
	threads := flag.Int("gomaxprocs", 0, "threads that run Go code at once; 0 leaves it to Go")
	version := flag.Bool("version", false, "print the version and end")
	flag.Parse()
	if *version {
		fmt.Println("go-proxy built with", runtime.Version())
		return
	}
	if *threads > 0 {
		runtime.GOMAXPROCS(*threads)
	}
	proxy, err := newProxy(strings.Split(*upstreams, ","), *keepalive)
	if err != nil {
		log.Fatalf("-upstreams %s: %v", *upstreams, err)
	}
	place, err := parsePlace(*listen)
	if err != nil {
		log.Fatalf("-listen %s: %v", *listen, err)
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	listener, err := net.Listen(place.network, place.address)
	if err != nil {
		log.Fatal(err)
	}
	go func() { log.Fatal(serve(listener, proxy, place.secure)) }()
	<-stop.Done()
}

// serve speaks HTTP/1.1, over TLS too, where Go would offer HTTP/2.
func serve(listener net.Listener, handler http.Handler, secure bool) error {
	server := &http.Server{
		Handler:      handler,
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	if secure {
		return server.ServeTLS(listener, "tls.crt", "tls.key")
	}
	return server.Serve(listener)
}
