"""Where programs come from: generated, drawn as tasks, mined. Nothing here stores them."""
