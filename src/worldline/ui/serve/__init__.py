"""A local model behind OpenAI's completions protocol: requests, the shared batch and the server."""
