"""Static analysis of a source: control flow and equivalent rewrites. Nothing is executed."""
