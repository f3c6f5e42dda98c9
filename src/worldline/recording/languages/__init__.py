"""Languages other than Python on the host: toolchains, prepared programs and call arguments."""
