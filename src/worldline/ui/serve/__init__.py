"""A local model behind OpenAI's completions protocol: questions, one thread that writes all answers, and the server."""
