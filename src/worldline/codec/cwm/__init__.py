"""Meta's trace format, written and read back; `foreign` reads what others' tools left of it."""
