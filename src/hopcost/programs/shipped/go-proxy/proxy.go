package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// place is where a server listens, in the words of package net, and whether it speaks TLS there.
type place struct {
	network, address string
	secure           bool
}

func parsePlace(text string) (place, error) {
	link, address, _ := strings.Cut(text, ":")
	switch link {
	case "http+tcp", "https+tcp":
		return place{"tcp", address, link == "https+tcp"}, nil
	case "http+unix":
		return place{"unix", address, false}, nil
	}
	return place{}, fmt.Errorf("expected http+tcp:ADDRESS, https+tcp:ADDRESS or http+unix:PATH")
}

// newProxy is a reverse proxy that goes round its upstreams and keeps up to `keepalive` idle connections to each.
func newProxy(upstreams []string, keepalive int) (http.Handler, error) {
	places := map[string]place{}
	hosts := []string{}
	for number, text := range upstreams {
		found, err := parsePlace(text)
		if err != nil {
			return nil, err
		}
		if found.secure {
			return nil, fmt.Errorf("forwards over http+tcp and http+unix alone")
		}
		// The transport pools connections by host name: each upstream gets one that the dialler below translates.
		host := "upstream-" + strconv.Itoa(number)
		hosts = append(hosts, host)
		places[host+":80"] = found
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, host string) (net.Conn, error) {
			var dialler net.Dialer
			return dialler.DialContext(ctx, places[host].network, places[host].address)
		},
		DisableKeepAlives:   keepalive == 0,
		MaxIdleConnsPerHost: keepalive,
		DisableCompression:  true, // else it asks for gzip and unpacks it: work that no client asked for
	}
	var turn atomic.Uint64
	return &httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.Out.URL.Scheme = "http"
			request.Out.URL.Host = hosts[turn.Add(1)%uint64(len(hosts))]
		},
		Transport:  transport,
		BufferPool: &buffers{},
	}, nil
}

// buffers lends the proxy its copy buffers; by itself it would make one of 32 KiB for each answer.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if found, is := b.pool.Get().(*[]byte); is {
		return *found
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(buffer []byte) { b.pool.Put(&buffer) }
