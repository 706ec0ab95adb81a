"""What makes the load: hopcost's engine and its peers."""
