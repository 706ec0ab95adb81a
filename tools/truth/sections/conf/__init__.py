"""What `hopcost conf` says of an nginx.conf: sections of the truth's page."""
