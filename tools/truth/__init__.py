"""`make truth`: whether hopcost tells the truth. Runs are kept in docs/explain/truth, and its page is made of them."""
