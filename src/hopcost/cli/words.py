"""Help texts that several verbs share."""

ARM_HELP = "SUITE/EXPERIMENT/ARM, as in nginx-go/one-core/nginx-http-tcp."
