"""Why a prediction went wrong: where it diverges from the truth, what differs there, and the cause."""
