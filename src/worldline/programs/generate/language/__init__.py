"""The one template language: files read, templates parsed, names drawn, a program under construction, expansion."""
