/** What runs beside a Java program and records it. Exported so that instrumented code can call it; never opened. */
module worldline.recorder {
    exports worldline.recorder;
}
