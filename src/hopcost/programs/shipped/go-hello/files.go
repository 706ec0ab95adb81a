package main

import (
	"net/http"
	"path"
	"strings"
)

// withFiles adds the files of a folder under /files/: "serve" by Go's own file server, "accelerate" by telling nginx in
// front which one to send (X-Accel-Redirect).
func withFiles(how, folder string, handler http.Handler) http.Handler {
	var files http.Handler
	switch how {
	case "serve":
		files = http.StripPrefix("/files/", http.FileServer(http.Dir(folder)))
	case "accelerate":
		files = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Accel-Redirect", "/accelerated/"+path.Base(r.URL.Path))
		})
	default:
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/files/") {
			files.ServeHTTP(w, r)
			return
		}
		handler.ServeHTTP(w, r)
	})
}
