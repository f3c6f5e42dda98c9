"""Java: compiled and instrumented by the user's own JDK, recorded by what runs beside the program in its JVM."""
