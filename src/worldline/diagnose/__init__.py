"""Why a prediction went wrong: where it parts from the truth, what differs there, and the cause."""
