package main

import (
	"net/http"
	"sync/atomic"
)

const (
	nodeBytes      = 128
	nodesOfRequest = 128 // 16 KiB
)

// node is a small object with a pointer: what a garbage collector has to follow.
type node struct {
	next    *node
	payload [nodeBytes - 8]byte
}

// heap keeps chains of nodes alive; as one chain takes the place of another, the old one becomes garbage.
type heap struct {
	chains []atomic.Pointer[node]
	turn   atomic.Uint64
}

func newHeap(mebibytes int) *heap {
	made := &heap{chains: make([]atomic.Pointer[node], mebibytes<<20/(nodeBytes*nodesOfRequest))}
	for range made.chains {
		made.replace()
	}
	return made
}

// replace allocates a chain in place of the oldest one.
func (h *heap) replace() {
	var chain *node
	for range nodesOfRequest {
		chain = &node{next: chain}
	}
	h.chains[h.turn.Add(1)%uint64(len(h.chains))].Store(chain)
}

// churning replaces a chain before each answer.
func (h *heap) churning(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.replace()
		handler.ServeHTTP(w, r)
	})
}
