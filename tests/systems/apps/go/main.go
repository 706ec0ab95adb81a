// A shop's API in Go: what its items cost, as JSON.
package main

import (
	"cmp"
	"encoding/json"
	"log"
	"net/http"
	"os"
)

type item struct {
	ID    int      `json:"id"`
	Name  string   `json:"name"`
	Price float64  `json:"price"`
	Tags  []string `json:"tags"`
}

var items = []item{
	{1, "Lamp", 39.5, []string{"desk", "light"}},
	{2, "Chair", 120, []string{"desk"}},
	{3, "Shelf", 75.25, []string{"wall", "oak"}},
}

func main() {
	http.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(items); err != nil {
			log.Print(err)
		}
	})
	log.Fatal(http.ListenAndServe(":"+cmp.Or(os.Getenv("PORT"), "8080"), nil))
}
