package inferencegateway;

import inferencegateway.health.Pulse;
import inferencegateway.http.Loops;
import inferencegateway.load.LoadMeter;
import inferencegateway.load.LoadStreams;
import inferencegateway.load.LoadTrailer;
import inferencegateway.server.AnswerMark;
import inferencegateway.telemetry.CallRecord;
import io.grpc.ServerServiceDefinition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What balancers are told of this gateway's load; nothing where that is turned off. */
final class LoadReports implements AutoCloseable {

  private final boolean on;
  private final LoadMeter meter;
  private final LoadStreams streams;
  private final LoadTrailer trailer;
  private final Pulse pulse;

  LoadReports(boolean on, CallPath path, Loops loops) {
    this.on = on;
    this.meter = new LoadMeter(path.routes()::backends, path.gate()::waiting);
    this.streams = new LoadStreams(meter, loops::current);
    this.trailer = new LoadTrailer(meter);
    this.pulse = new Pulse("load", LoadMeter.PERIOD, meter::look);
  }

  List<ServerServiceDefinition> services() {
    return on ? List.of(streams.service()) : List.of();
  }

  /** What is added to answers. */
  List<AnswerMark> marks() {
    return on ? List.of(trailer::mark) : List.of();
  }

  /** Null where it is turned off. */
  @Nullable LoadMeter meter() {
    return on ? meter : null;
  }

  void start() {
    if (on) {
      pulse.start();
    }
  }

  void ended(CallRecord call) {
    if (on) {
      meter.ended(call);
    }
  }

  /** Whether somebody gets reports beside the calls. */
  boolean isWatched() {
    return streams.isWatched();
  }

  /** Ends the streams of reports. */
  void complete() {
    streams.complete();
  }

  @Override
  public void close() {
    pulse.close();
  }
}
