package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.simulator.Fault;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class SimulateCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return new CommandLine(new SimulateCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }

  @Test
  void helpTeachesEveryFault() {
    assertEquals(0, run("--help"));
    for (Fault fault : Fault.values()) {
      assertTrue(out.toString().contains("  " + fault.word()), fault.word());
    }
    assertTrue(out.toString().contains("x-sim-fault"));
  }

  @Test
  void helpNamesTheExitCodes() {
    assertEquals(0, run("--help"));
    assertTrue(out.toString().contains("Exit codes:"), out.toString());
  }

  @Test
  void versionIsKnown() {
    assertEquals(0, run("--version"));
    assertTrue(out.toString().startsWith("inference-gateway "), out.toString());
  }

  @Test
  void takenPortIsSaidInOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      int port = taken.getLocalPort();
      assertEquals(1, run("--port=" + port));
      assertEquals(
          "error: port: cannot listen on 127.0.0.1:"
              + port
              + ": address already in use; stop what listens there or choose another port, such as"
              + " --port 0\n",
          err.toString());
    }
  }

  @Test
  void addressThatIsNotOursIsSaidInOneLine() {
    assertEquals(1, run("--port=0", "--host=192.0.2.1"));
    assertEquals(
        "error: port: cannot listen on 192.0.2.1:0: cannot assign requested address\n",
        err.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "--fault=explode,unknown fault 'explode'",
    "--ttft=5,is not a duration",
    "--jitter=2,jitter must be 0 to 1",
    "--slots=0,slots must be at least 1",
    "--what=1,Unknown option",
  })
  void badArgumentsStopTheStartInWords(String argument, String words) {
    assertEquals(2, run("--port=0", argument));
    assertTrue(err.toString().contains(words), err.toString());
  }
}
