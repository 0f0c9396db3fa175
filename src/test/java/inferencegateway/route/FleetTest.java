package inferencegateway.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import inferencegateway.chat.Reason;
import inferencegateway.config.RoutingConfig;
import inferencegateway.testing.Eventually;
import inferencegateway.upstream.ProbeAnswer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FleetTest {

  private final Backends backends = new Backends();
  private InetAddress[] addresses = {};

  private InetAddress[] lookup(String host) throws UnknownHostException {
    if (addresses.length == 0) {
      throw new UnknownHostException(host);
    }
    return addresses;
  }

  private static InetAddress[] ips(int... last) throws UnknownHostException {
    InetAddress[] all = new InetAddress[last.length];
    for (int i = 0; i < last.length; i++) {
      all[i] = InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last[i]});
    }
    return all;
  }

  private Fleet fleet(RoutingConfig config) throws IOException {
    Fleet fleet = new Fleet(config, backends, this::lookup);
    fleet.start();
    return fleet;
  }

  private static List<String> names(Fleet fleet) {
    return fleet.routes().backends().stream().map(Backend::name).toList();
  }

  private static RoutingConfig two() {
    return Backends.routing(Backends.config("a", 1, false), Backends.config("b", 1, false));
  }

  @Test
  void whatStaysIsKeptAndWhatIsGoneEndsWithItsLastCall() throws IOException {
    try (Fleet fleet = fleet(two())) {
      Backend kept = fleet.routes().backends().get(0);
      Trip trip =
          assertInstanceOf(
                  Routes.Choice.Found.class, fleet.routes().choose("m", "r", "", any -> true))
              .trip();
      trip.begun();
      fleet.apply(Backends.routing(Backends.config("a", 1, false), Backends.config("c", 1, false)));
      assertSame(kept, fleet.routes().backends().get(0));
      assertEquals(List.of("a", "c"), names(fleet));
      fleet.tidy();
      assertEquals(Map.of("a", "started", "b", "retired", "c", "started"), backends.states);
      trip.ended();
      Eventually.within(Duration.ofSeconds(10))
          .assertThat(
              "b is closed",
              () -> {
                fleet.tidy();
                return "closed".equals(backends.states.get("b"));
              });
      assertEquals("started", backends.states.get("a"));
    }
    assertEquals("closed", backends.states.get("a"));
  }

  @Test
  void aRescueGoesToTheOthersOfThePoolThatAreUp() throws IOException {
    try (Fleet fleet = fleet(two())) {
      Backend died = fleet.routes().backends().get(0);
      Backend other = fleet.routes().backends().get(1);
      Trip trip =
          assertInstanceOf(
                  Routes.Choice.Found.class, fleet.routes().choose("m", "r", "", any -> true))
              .trip();
      Trip rescue = trip.toRescueFrom(died);
      assertNotNull(rescue);
      assertSame(other.capacity(), rescue.choose(place -> true));
      assertFalse(rescue.leave(other, Reason.UPSTREAM_CONNECT), "none is left");
      other.wedged(true);
      assertNull(trip.toRescueFrom(died));
    }
  }

  @Test
  void whoHasToNameAModelIsToldOnlyOfThoseItMayUse() throws IOException {
    try (Fleet fleet = fleet(two())) {
      List<String> models = List.of("open", "secret");
      fleet.routes().backends().get(0).lists(new ProbeAnswer.Up(models, models));
      assertEquals(
          "name one: the backend serves several and the gateway has no default; one of open",
          violation(fleet.routes().choose("", "r", "", "open"::equals)));
      assertEquals(
          "name one: the backend serves several and the gateway has no default",
          violation(fleet.routes().choose("", "r", "", any -> false)));
    }
  }

  private static String violation(Routes.Choice choice) {
    return assertInstanceOf(Routes.Choice.Refused.class, choice)
        .failure()
        .violations()
        .get(0)
        .description();
  }

  @Test
  void aCallThatWaitsAvoidsWhatIsGone() throws IOException {
    try (Fleet fleet = fleet(two())) {
      Trip trip =
          assertInstanceOf(
                  Routes.Choice.Found.class, fleet.routes().choose("m", "r", "", any -> true))
              .trip();
      fleet.apply(Backends.routing(Backends.config("b", 1, false)));
      assertSame(fleet.routes().backends().get(0).capacity(), trip.choose(place -> true));
    }
  }

  @Test
  void eachAddressIsABackendAndFollowsTheName() throws IOException {
    try (Fleet fleet = fleet(Backends.routing(Backends.config("gpu", 1, true)))) {
      assertEquals(List.of("gpu"), names(fleet), "nothing is known yet");
      addresses = ips(1, 2);
      fleet.lookUp();
      assertEquals(List.of("gpu@10.0.0.1", "gpu@10.0.0.2"), names(fleet));
      Backend second = fleet.routes().backends().get(1);
      addresses = ips(3, 2);
      fleet.lookUp();
      assertEquals(List.of("gpu@10.0.0.2", "gpu@10.0.0.3"), names(fleet));
      assertSame(second, fleet.routes().backends().get(0));
      assertEquals("retired", backends.states.get("gpu@10.0.0.1"));
    }
  }

  @Test
  void aNameThatIsNotKnownForAWhileChangesNothing() throws IOException {
    try (Fleet fleet = fleet(Backends.routing(Backends.config("gpu", 1, true)))) {
      addresses = ips(1);
      fleet.lookUp();
      addresses = ips();
      fleet.lookUp();
      assertEquals(List.of("gpu@10.0.0.1"), names(fleet));
      assertEquals(2, backends.opened.size());
    }
  }

  @Test
  void aBackendThatCannotBeOpenedLeavesAllAsItWas() throws IOException {
    Fleet.Opening failing =
        (name, config, only) -> {
          if (name.equals("bad")) {
            throw new IOException("its key");
          }
          return backends.open(name, config, only);
        };
    try (Fleet fleet = new Fleet(two(), failing, this::lookup)) {
      RoutingConfig before = fleet.config();
      RoutingConfig next =
          Backends.routing(Backends.config("c", 1, false), Backends.config("bad", 1, false));
      assertThrows(IOException.class, () -> fleet.apply(next));
      assertEquals(List.of("a", "b"), names(fleet));
      assertSame(before, fleet.config());
      assertEquals("retired", backends.states.get("c"));
      assertEquals("open", backends.states.get("a"));
    }
  }

  @Test
  void halfAreEverPutAside() throws IOException {
    try (Fleet fleet =
        fleet(
            Backends.routing(
                Backends.config("a", 1, false),
                Backends.config("b", 1, false),
                Backends.config("c", 1, false)))) {
      for (Backend each : fleet.routes().backends()) {
        for (int i = 0; i < 10; i++) {
          fleet.routes().failed(each, Reason.UPSTREAM_RESET);
        }
      }
      assertEquals(2, fleet.routes().backends().stream().filter(Backend::isUp).count());
    }
  }
}
