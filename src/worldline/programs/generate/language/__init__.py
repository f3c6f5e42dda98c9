"""The template language: reads files, parses templates, draws names and expands templates into programs."""
