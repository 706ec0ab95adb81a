package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

// Content types by route; the files are those of hopcost's content folder, alike in all origins.
var routes = map[string]struct{ file, contentType string }{
	"/":           {"hello.txt", "text/plain"},
	"/512":        {"512.txt", "text/plain"},
	"/json":       {"1k.json", "application/json"},
	"/static.txt": {"static.txt", "text/plain"},
}

// answer is what one route answers; nothing of it is made per request.
type answer struct {
	body                       []byte
	contentType, contentLength string
}

// content maps paths to their answers.
type content map[string]answer

// readContent reads the files of all routes.
func readContent(folder string) (content, error) {
	answers := content{}
	for path, route := range routes {
		body, err := os.ReadFile(filepath.Join(folder, route.file))
		if err != nil {
			return nil, err
		}
		answers[path] = answer{body, route.contentType, strconv.Itoa(len(body))}
	}
	return answers, nil
}

// ServeHTTP is the article's handler: the same header fields in every arm, so that the headers have the same length.
// nginx replaces Server over HTTP by "nginx", which has as many letters as "gophr".
func (c content) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	found, known := c[request.URL.Path]
	if !known {
		http.NotFound(w, request)
		return
	}
	header := w.Header()
	header.Set("Server", "gophr")
	header.Set("Connection", "keep-alive")
	header.Set("Content-Type", found.contentType)
	header.Set("Content-Length", found.contentLength)
	w.Write(found.body) //nolint:errcheck // the client went away: there is nobody to tell
}
