import com.sun.jdi.*;
import com.sun.jdi.connect.*;
import com.sun.jdi.event.*;
import com.sun.jdi.request.*;
import java.io.*;
import java.util.*;

/**
 * `java Jdi FOLDER MOST START ARGUMENT...`: steps through Main of FOLDER in the JVM's own debugger interface; a line a step.
 * MOST steps are enough (0: all); START is the method where they begin ('' as the program does).
 */
public class Jdi {
    public static void main(String[] args) throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> with = connector.defaultArguments();
        with.get("main").setValue("Main " + String.join(" ", List.of(args).subList(3, args.length)));
        with.get("options").setValue("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp " + args[0]);
        VirtualMachine vm = connector.launch(with);
        for (InputStream stream : List.of(vm.process().getInputStream(), vm.process().getErrorStream())) {
            Thread drain = new Thread(() -> { try { stream.transferTo(OutputStream.nullOutputStream()); } catch (IOException e) { } });
            drain.setDaemon(true);
            drain.start();
        }
        ClassPrepareRequest ready = vm.eventRequestManager().createClassPrepareRequest();
        ready.addClassFilter("Main");
        ready.enable();
        int most = Integer.parseInt(args[1]);
        while (true) {
            EventSet events = vm.eventQueue().remove();
            if (most > 0 && told >= most) {
                vm.exit(0);
                vm.process().waitFor(); // so that its time is counted among that of children
                return;
            }
            for (Event event : events) {
                if (event instanceof ClassPrepareEvent) {
                    ReferenceType type = ((ClassPrepareEvent) event).referenceType();
                    for (String name : args[2].isEmpty() ? List.of("<clinit>", "main") : List.of(args[2])) {
                        for (Method m : type.methodsByName(name)) {
                            BreakpointRequest stop = vm.eventRequestManager().createBreakpointRequest(m.allLineLocations().get(0));
                            stop.addCountFilter(1);
                            stop.enable();
                        }
                    }
                } else if (event instanceof BreakpointEvent) {
                    ThreadReference thread = ((BreakpointEvent) event).thread();
                    if (vm.eventRequestManager().stepRequests().isEmpty()) {
                        StepRequest step = vm.eventRequestManager()
                                .createStepRequest(thread, StepRequest.STEP_LINE, StepRequest.STEP_INTO);
                        for (String library : new String[] {"java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"}) {
                            step.addClassExclusionFilter(library);
                        }
                        step.enable();
                    }
                    tell(thread);
                } else if (event instanceof StepEvent) {
                    tell(((StepEvent) event).thread());
                } else if (event instanceof VMDisconnectEvent) {
                    return;
                }
            }
            events.resume();
        }
    }

    private static int told = 0;

    private static void tell(ThreadReference thread) throws Exception {
        StackFrame frame = thread.frame(0);
        Location at = frame.location();
        boolean starts = false;
        try {
            for (Location line : at.method().allLineLocations()) {
                starts |= line.codeIndex() == at.codeIndex();
            }
        } catch (AbsentInformationException generated) {
            return; // the JVM's own code of a lambda
        }
        StringBuilder out = new StringBuilder();
        out.append(thread.frameCount()).append('\t').append(at.lineNumber()).append('\t').append(starts);
        out.append('\t').append(at.method().name());
        try {
            List<LocalVariable> visible = frame.visibleVariables();
            Map<LocalVariable, Value> values = frame.getValues(visible);
            for (LocalVariable variable : visible) {
                if (values.get(variable) instanceof PrimitiveValue) {
                    out.append('\t').append(variable.name()).append('=').append(variable.signature()).append(values.get(variable));
                }
            }
        } catch (AbsentInformationException none) {
            // no variables then
        }
        System.out.println(out);
        told++;
    }
}
