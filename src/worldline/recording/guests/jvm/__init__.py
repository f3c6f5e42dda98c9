"""Java: compiled and instrumented by the JDK of the user, recorded inside the JVM of the program."""
