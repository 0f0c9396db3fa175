package inferencegateway.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.chat.Phase;
import inferencegateway.proto.orca.OrcaLoadReport;
import inferencegateway.telemetry.CallOutcome;
import inferencegateway.telemetry.CallRecord;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LoadMeterTest {

  private static final long TICK = LoadMeter.PERIOD.toNanos();

  private long now = 5;
  private final LoadMeter meter = new LoadMeter(List::of, () -> 0, () -> now);

  private OrcaLoadReport after(int seconds, int callsASecond, CallOutcome outcome) {
    int ticks = (int) (TimeUnit.SECONDS.toNanos(seconds) / TICK);
    int perSecond = (int) (TimeUnit.SECONDS.toNanos(1) / TICK);
    for (int tick = 0; tick < ticks; tick++) {
      for (int i = 0; i < callsASecond / perSecond; i++) {
        meter.ended(call(outcome, null));
      }
      now += TICK;
      meter.look();
    }
    return meter.latest().message();
  }

  private static CallRecord call(CallOutcome outcome, String reason) {
    return new CallRecord(
        "id",
        "m",
        "peer",
        "",
        "",
        "",
        "",
        outcome,
        "OK",
        reason,
        Phase.DECODE,
        null,
        0,
        0,
        true,
        0,
        0,
        0,
        0,
        0,
        0,
        false,
        1,
        0,
        0,
        0,
        null,
        Context.root());
  }

  @Test
  void callsASecondAreFoundOutWithinSecondsAndForgottenAgain() {
    assertEquals(50, after(15, 50, CallOutcome.OK).getRpsFractional(), 1);
    OrcaLoadReport idle = after(15, 0, CallOutcome.OK);
    assertTrue(idle.getRpsFractional() < 1, idle.toString());
    assertTrue(idle.getRpsFractional() > 0, "never so low that the weight of it is lost");
  }

  @ParameterizedTest
  @EnumSource
  void onlyWhatAnotherGatewayMightDoBetterIsAnError(CallOutcome outcome) {
    double errors = after(15, 10, outcome).getEps();
    boolean expected =
        switch (outcome) {
          case SHED, DRAINED, UPSTREAM_4XX, UPSTREAM_5XX, UPSTREAM_RESET, STALLED, BUG -> true;
          default -> false;
        };
    assertEquals(expected ? 10 : 0, errors, 0.2);
  }

  @Test
  void aCallersOwnQuotaIsNoErrorOfTheServer() {
    meter.ended(call(CallOutcome.SHED, "QUOTA"));
    now += TICK;
    meter.look();
    assertEquals(0, meter.latest().message().getEps());
  }

  @Test
  void withoutABackendItIsFull() {
    assertEquals(1, after(20, 0, CallOutcome.OK).getApplicationUtilization(), 0.01);
  }

  @Test
  void theBytesAreTheMessage() throws Exception {
    after(1, 5, CallOutcome.OK);
    LoadMeter.Report latest = meter.latest();
    assertEquals(latest.message(), OrcaLoadReport.parseFrom(latest.bytes()));
    assertTrue(latest.bytes().length < 300, "bytes in every answer: " + latest.bytes().length);
  }
}
