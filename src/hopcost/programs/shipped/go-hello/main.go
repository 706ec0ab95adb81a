// Command go-hello answers the article's 12-byte hello and the other files of hopcost's content folder over HTTP, HTTPS
// and FastCGI, on TCP and Unix sockets.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
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
	log.SetFlags(0)
	log.SetPrefix("go-hello: ")
	var wanted listeners
	var options options
	flag.Var(&wanted, "listen", "LINK:ADDRESS, repeatable; LINK is http+tcp, http+unix, fastcgi+tcp, fastcgi+unix, https+tcp or\n"+
		"http2+tls, as in http+tcp:127.0.0.1:8080 or fastcgi+unix:/tmp/go.sock")
	folder := flag.String("content", ".", "the folder of the files to serve")
	threads := flag.Int("gomaxprocs", 0, "threads that run Go code at once; 0 leaves it to Go")
	flag.BoolVar(&options.noDelay, "tcp-nodelay", true, "send small packets at once, as Go does by itself")
	flag.StringVar(&options.certificate, "tls-certificate", "tls.crt", "the certificate's file, for https+tcp and http2+tls")
	flag.StringVar(&options.key, "tls-key", "tls.key", "its private key's file")
	mebibytes := flag.Int("heap-mib", 0, "MiB of small objects to keep alive, of which each request replaces 16 KiB")
	rounds := flag.Int("work-rounds", 0, "rounds of arithmetic before each answer, about a nanosecond each")
	files := flag.String("files", "none", "how to answer /files/NAME: none, serve or accelerate")
	filesFolder := flag.String("files-folder", ".", "the folder of these files")
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
	handler, err := newHandler(*folder)
	if err != nil {
		log.Fatal(err)
	}
	if *mebibytes > 0 {
		handler = newHeap(*mebibytes).churning(handler)
	}
	handler = withFiles(*files, *filesFolder, handler)
	if *rounds > 0 {
		handler = working(*rounds, handler)
	}
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	for _, each := range wanted {
		go func() { log.Fatal(serve(each, handler, options)) }()
	}
	<-stop.Done()
}
