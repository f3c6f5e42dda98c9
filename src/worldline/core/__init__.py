"""Pure data: canonical values, programs, traces, states."""
