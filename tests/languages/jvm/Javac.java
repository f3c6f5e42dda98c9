import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.util.Base64;
import javax.tools.ToolProvider;

/** javac for plain runs, many times in one JVM: a file's path a line in, its status and errors a line out. */
public class Javac {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String path = in.readLine(); path != null; path = in.readLine()) {
            ByteArrayOutputStream errors = new ByteArrayOutputStream();
            String folder = path.substring(0, path.lastIndexOf('/'));
            int status = ToolProvider.getSystemJavaCompiler()
                    .run(null, errors, errors, "-proc:none", "-nowarn", "-d", folder, path);
            System.out.println(status + " " + Base64.getEncoder().encodeToString(errors.toByteArray()));
        }
    }
}
