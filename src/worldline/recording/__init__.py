"""Programs run boxed, and what they did: one guest per language speaks the wire format."""
