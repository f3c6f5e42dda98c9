"""Models behind OpenAI-compatible servers: the client, the prompt styles and their texts."""
