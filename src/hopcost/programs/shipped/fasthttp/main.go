// Command fasthttp answers hopcost's routes with the fasthttp library, on TCP or a Unix socket.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/valyala/fasthttp"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("fasthttp: ")
	listen := flag.String("listen", "", "LINK:ADDRESS; LINK is http+tcp or http+unix")
	folder := flag.String("content", ".", "the folder of the files to serve")
	threads := flag.Int("gomaxprocs", 0, "threads that run Go code at once; 0 leaves it to Go")
	version := flag.Bool("version", false, "print the versions and end")
	flag.Parse()
	if *version {
		fmt.Println("fasthttp", libraryVersion(), "built with", runtime.Version())
		return
	}
	if *threads > 0 {
		runtime.GOMAXPROCS(*threads)
	}
	link, address, found := strings.Cut(*listen, ":")
	network, isHTTP := strings.CutPrefix(link, "http+")
	if !found || !isHTTP {
		log.Fatalf("-listen %s: expected http+tcp:ADDRESS or http+unix:PATH", *listen)
	}
	handler, err := newHandler(*folder)
	if err != nil {
		log.Fatal(err)
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	listener, err := net.Listen(network, address)
	if err != nil {
		log.Fatal(err)
	}
	// Five letters as in "nginx", by which nginx replaces it: the head has the same length behind a proxy.
	server := fasthttp.Server{Name: "fasth", Handler: handler}
	go func() { log.Fatal(server.Serve(listener)) }()
	<-stop.Done()
}

// libraryVersion is the version of fasthttp that was linked in.
func libraryVersion() string {
	information, _ := debug.ReadBuildInfo()
	for _, module := range information.Deps {
		if module.Path == "github.com/valyala/fasthttp" {
			return module.Version
		}
	}
	return "of unknown version"
}
