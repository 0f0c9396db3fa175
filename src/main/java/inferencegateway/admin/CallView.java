package inferencegateway.admin;

import com.google.protobuf.Duration;
import inferencegateway.call.LiveCall;
import inferencegateway.proto.admin.v1.Call;
import java.util.concurrent.TimeUnit;

/** One call in the words of the admin service. */
final class CallView {

  /** A model's name may be the caller's own word, of any length. */
  private static final int MODEL_CHARS = 200;

  private CallView() {}

  static Call of(LiveCall call) {
    Call.Builder view =
        Call.newBuilder()
            .setRequestId(call.requestId())
            .setMethod(call.method())
            .setCaller(call.caller())
            .setPeer(call.peer())
            .setModel(model(call))
            .setBackend(call.backend())
            .setPhase(call.phase().word())
            .setAge(duration(call.ageNanos()))
            .setTokens(call.tokens());
    Long left = call.leftNanos();
    if (left != null) {
      view.setTimeLeft(duration(Math.max(0, left)));
    }
    return view.build();
  }

  static String model(LiveCall call) {
    String model = call.model();
    return model.length() <= MODEL_CHARS ? model : model.substring(0, MODEL_CHARS);
  }

  static Duration duration(long nanos) {
    long second = TimeUnit.SECONDS.toNanos(1);
    return Duration.newBuilder()
        .setSeconds(nanos / second)
        .setNanos((int) (nanos % second))
        .build();
  }
}
