"""The guest of compiled languages: `prepare` compiles in the box, `run` executes what was prepared."""
