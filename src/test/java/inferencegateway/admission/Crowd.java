package inferencegateway.admission;

import inferencegateway.auth.CallerLimits;
import inferencegateway.chat.Failure;
import inferencegateway.config.AdmissionConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One backend behind one gate, and time that moves by hand. */
final class Crowd {

  final Capacity capacity;
  final Gate gate;

  /** Names of those that were told, in order. */
  final List<String> told = new ArrayList<>();

  private long now = 1_000_000_000_000L;
  boolean shortOfMemory;

  private Crowd(AdmissionConfig config) {
    this.capacity = Capacity.of(config);
    this.gate = new Gate(config, () -> shortOfMemory, () -> now);
  }

  static Crowd of(AdmissionConfig config) {
    return new Crowd(config);
  }

  static Crowd fixed(int running, int waiting) {
    return new Crowd(AdmissionConfig.fixed(running, waiting));
  }

  static Crowd adaptive(int running, int min, int max) {
    return new Crowd(new AdmissionConfig(running, 256, true, min, max, Duration.ofHours(1)));
  }

  void after(Duration time) {
    now += time.toNanos();
  }

  long now() {
    return now;
  }

  Asked ask(Asking asking) {
    return gate.ask(
        asking,
        hasRoom -> hasRoom.test(capacity) ? capacity : null,
        () -> told.add(asking.caller()));
  }

  Place place(Asking asking) {
    Asked asked = ask(asking);
    if (asked instanceof Asked.Refused refused) {
      throw new AssertionError("refused: " + refused.failure());
    }
    return (Place) asked;
  }

  Place place(String caller) {
    return place(by(caller));
  }

  Failure refusal(Asking asking) {
    if (ask(asking) instanceof Asked.Refused refused) {
      return refused.failure();
    }
    throw new AssertionError("not refused");
  }

  static Asking by(String caller) {
    return by(caller, CallerLimits.NONE);
  }

  static Asking by(String caller, CallerLimits limits) {
    return new Asking(caller, limits, "m", 100, 0, false, false);
  }

  static Asking retry(String caller) {
    return new Asking(caller, CallerLimits.NONE, "m", 100, 0, false, true);
  }

  Asking within(Duration left) {
    return new Asking("hurried", CallerLimits.NONE, "m", 100, now + left.toNanos(), true, false);
  }

  /** Calls that come one after the other and take that long each, their first token half of it. */
  void history(int calls, Duration each) {
    for (int i = 0; i < calls; i++) {
      Place place = place("earlier");
      after(each.dividedBy(2));
      place.firstToken();
      after(each.dividedBy(2));
      place.release();
    }
  }

  /** Asks while all is taken, again and again, and does not wait. */
  void insist(String caller, int times) {
    for (int i = 0; i < times; i++) {
      if (ask(by(caller)) instanceof Place place) {
        place.release();
      }
    }
    after(Duration.ofMillis(201));
  }

  List<Place> fill(String caller, int calls) {
    List<Place> places = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      places.add(place(caller));
    }
    return places;
  }
}
