"""The debug adapter: editors step through what a model predicts, by the Debug Adapter Protocol."""
