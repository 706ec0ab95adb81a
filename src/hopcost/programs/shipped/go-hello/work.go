package main

import (
	"net/http"
	"sync/atomic"
)

// left takes what the arithmetic comes to, so that the compiler cannot drop it.
var left atomic.Uint64

// working burns so many rounds of dependent arithmetic before each answer: the same work as the embedded origin's.
func working(rounds int, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		state := uint64(0x9e3779b97f4a7c15)
		for range rounds {
			state ^= state << 13
			state ^= state >> 7
			state ^= state << 17
		}
		left.Store(state)
		handler.ServeHTTP(w, r)
	})
}
