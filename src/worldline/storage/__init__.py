"""The only writer of files, object stores, manifests, and whole folders published on a store."""
