"""Two ways to measure the same: short and long, by slices and in turn, odd and even blocks. They must agree."""
