package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.simulator.Fault;
import java.io.PrintWriter;
import java.io.StringWriter;
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

  @ParameterizedTest
  @CsvSource({
    "--fault=explode,unknown fault 'explode'",
    "--ttft=5,is not a duration",
    "--jitter=2,jitter must be 0 to 1",
    "--slots=0,slots must be at least 1",
    "--host=192.0.2.1,cannot listen on",
    "--what=1,Unknown option",
  })
  void badArgumentsStopTheStartInWords(String argument, String words) {
    assertEquals(2, run("--port=0", argument));
    assertTrue(err.toString().contains(words), err.toString());
  }
}
