"""A dataset of documents from a recipe: units made by processes of their own, stored as shards."""
