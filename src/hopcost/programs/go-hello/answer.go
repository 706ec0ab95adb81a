package main

import (
	"io"
	"net/http"
	"strconv"
)

const hello = "Hello World\n"

// answerHello is the article's handler: the same header fields in every arm, so that the headers have the same length.
// nginx replaces Server over HTTP by "nginx", which has as many letters as "gophr".
func answerHello(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header.Set("Server", "gophr")
	header.Set("Connection", "keep-alive")
	header.Set("Content-Type", "text/plain")
	header.Set("Content-Length", strconv.Itoa(len(hello)))
	io.WriteString(w, hello) //nolint:errcheck // the client went away: there is nobody to tell
}
