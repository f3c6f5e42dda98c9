"""The debug adapter: editors step through what a model imagines, by the Debug Adapter Protocol."""
