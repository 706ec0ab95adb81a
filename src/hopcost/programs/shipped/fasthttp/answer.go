package main

import (
	"os"
	"path/filepath"

	"github.com/valyala/fasthttp"
)

// routes are alike in all origins; the files are those of hopcost's content folder.
var routes = []struct{ path, file, contentType string }{
	{"/", "hello.txt", "text/plain"},
	{"/512", "512.txt", "text/plain"},
	{"/json", "1k.json", "application/json"},
	{"/static.txt", "static.txt", "text/plain"},
}

// answer is what one route answers; nothing of it is made per request.
type answer struct {
	body        []byte
	contentType string
}

// newHandler reads the files of all routes; any other path is answered with 404.
func newHandler(folder string) (fasthttp.RequestHandler, error) {
	answers := map[string]answer{}
	for _, route := range routes {
		body, err := os.ReadFile(filepath.Join(folder, route.file))
		if err != nil {
			return nil, err
		}
		answers[route.path] = answer{body, route.contentType}
	}
	return func(request *fasthttp.RequestCtx) {
		found, known := answers[string(request.Path())] // the compiler makes no string of it
		if !known {
			request.NotFound()
			return
		}
		// As nginx and go-hello say it: the heads of the arms have the same length.
		request.Response.Header.Set("Connection", "keep-alive")
		request.SetContentType(found.contentType)
		request.SetBody(found.body)
	}, nil
}
