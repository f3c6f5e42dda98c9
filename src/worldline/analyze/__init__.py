"""What a source says without being run: control flow, and equivalent rewrites."""
