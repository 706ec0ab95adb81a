"""nginx.conf as text: what stands in it, what it needs of its machine, and how one directive of it is edited."""
