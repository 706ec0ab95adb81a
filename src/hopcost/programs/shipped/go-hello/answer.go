package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

// routes are alike in all origins; the files are those of hopcost's content folder.
var routes = []struct{ pattern, file, contentType string }{
	{"/{$}", "hello.txt", "text/plain"},
	{"/512", "512.txt", "text/plain"},
	{"/json", "1k.json", "application/json"},
	{"/static.txt", "static.txt", "text/plain"},
}

// newHandler reads the files of all routes; any other path is answered with 404.
func newHandler(folder string) (http.Handler, error) {
	handler := http.NewServeMux()
	for _, route := range routes {
		body, err := os.ReadFile(filepath.Join(folder, route.file))
		if err != nil {
			return nil, err
		}
		handler.HandleFunc(route.pattern, answer(body, route.contentType))
	}
	return handler, nil
}

// answer is the article's handler: the same header fields in every arm, so that the headers have the same length.
// nginx replaces Server over HTTP by "nginx", which has as many letters as "gophr".
func answer(body []byte, contentType string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		header := w.Header()
		header.Set("Server", "gophr")
		header.Set("Connection", "keep-alive")
		header.Set("Content-Type", contentType)
		header.Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body) //nolint:errcheck // the client went away: there is nobody to tell
	}
}
