"""Models behind OpenAI-compatible servers: the client, three ways to ask, and what a chat model is told."""
