"""Why a value is wrong: the chain of operations that led to it, true and predicted values side by side."""
