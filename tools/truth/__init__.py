"""`make truth`: whether hopcost tells the truth. Runs are kept in docs/truth, and docs/truth.md is made of them."""
