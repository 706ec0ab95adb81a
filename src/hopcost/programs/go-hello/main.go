// Command go-hello answers the article's 12-byte hello over HTTP and FastCGI, on TCP and Unix sockets.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/fcgi"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
)

// listeners collects repeated -listen flags.
type listeners []string

func (l *listeners) String() string { return strings.Join(*l, " ") }

func (l *listeners) Set(value string) error {
	*l = append(*l, value)
	return nil
}

func main() {
	var wanted listeners
	flag.Var(&wanted, "listen", "LINK:ADDRESS, repeatable; LINK is http+tcp, http+unix, fastcgi+tcp or fastcgi+unix,\n"+
		"as in http+tcp:127.0.0.1:8080 or fastcgi+unix:/tmp/go.sock")
	threads := flag.Int("gomaxprocs", 0, "threads that run Go code at once; 0 leaves it to Go")
	version := flag.Bool("version", false, "print the version and end")
	flag.Parse()
	if *version {
		fmt.Println("go-hello built with", runtime.Version())
		return
	}
	if len(wanted) == 0 {
		fmt.Fprintln(os.Stderr, "go-hello: no -listen")
		flag.Usage()
		os.Exit(2)
	}
	if *threads > 0 {
		runtime.GOMAXPROCS(*threads)
	}
	http.HandleFunc("/", answerHello)
	for _, each := range wanted {
		go serve(each)
	}
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	<-stop.Done()
}

// serve listens at LINK:ADDRESS and serves until the process ends.
func serve(wanted string) {
	link, address, found := strings.Cut(wanted, ":")
	wire, network, split := strings.Cut(link, "+")
	if !found || !split {
		log.Fatalf("go-hello: -listen %s: expected LINK:ADDRESS", wanted)
	}
	listener, err := net.Listen(network, address)
	if err != nil {
		log.Fatalf("go-hello: %v", err)
	}
	switch wire {
	case "http":
		err = http.Serve(listener, nil)
	case "fastcgi":
		err = fcgi.Serve(listener, nil)
	default:
		log.Fatalf("go-hello: -listen %s: no wire is called %s", wanted, wire)
	}
	log.Fatalf("go-hello: %v", err)
}
