"""`make truth`: whether hopcost tells the truth. Its page is made of the runs kept in docs/explain/truth/lines."""
