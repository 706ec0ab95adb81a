module hopcost/go-hello

go 1.22
