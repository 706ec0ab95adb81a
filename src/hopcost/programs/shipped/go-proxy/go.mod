module hopcost/go-proxy

go 1.22
