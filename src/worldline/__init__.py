"""worldline: record, encode, learn, predict and debug the path a program traces through its states."""
