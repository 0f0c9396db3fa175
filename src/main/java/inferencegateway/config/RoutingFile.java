package inferencegateway.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads what {@code routing.file} names, and lists everything that is wrong with it. */
final class RoutingFile {

  private static final int MOST_WEIGHT = 10_000;
  private static final int MOST_RUNNING = 1_000_000;

  /** No {@code @}: with it the addresses of one backend are told apart. */
  private static final Pattern BACKEND_NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /** One part of the file, and where it stands. */
  record Read<T>(Section at, T value) {}

  private final RoutingConfig.Initial initial;
  private final Section root;

  private RoutingFile(RoutingConfig.Initial initial, Section root) {
    this.initial = initial;
    this.root = root;
  }

  /**
   * @throws ConfigException with everything that is wrong
   */
  static RoutingConfig read(Path file, RoutingConfig.Initial initial) {
    Complaints complaints = new Complaints(Keys.ROUTING_FILE.key(), file);
    Node.Fields all = YamlTree.read(file, complaints).orElseGet(() -> new Node.Fields(Map.of(), 1));
    complaints.throwIfAny();
    RoutingConfig config = new RoutingFile(initial, new Section("", all, complaints)).config(file);
    complaints.throwIfAny();
    return config;
  }

  private RoutingConfig config(Path file) {
    Optional<String> defaultModel = root.one("default-model", Format.NAME.parse());
    List<Read<BackendConfig>> backends = backends();
    List<Read<ModelConfig>> models = models();
    root.noMore();
    new RoutingCheck(root, backends, models).run(defaultModel.orElse(null));
    return new RoutingConfig(
        file,
        backends.stream().map(Read::value).toList(),
        models.stream().map(Read::value).toList(),
        defaultModel.orElse(initial.defaultModel()),
        initial);
  }

  private List<Read<BackendConfig>> backends() {
    List<Read<BackendConfig>> found = new ArrayList<>();
    List<Section> sections = root.sections("backends");
    if (sections.isEmpty()) {
      root.wrong("backends", "must list at least one");
    }
    for (Section each : sections) {
      backend(each).ifPresent(backend -> found.add(new Read<>(each, backend)));
      each.noMore();
    }
    return found;
  }

  private Optional<BackendConfig> backend(Section each) {
    Optional<String> name = each.required("name", RoutingFile::backendName);
    Optional<BackendUrl> url = each.required("url", BackendUrl::parse);
    @Nullable Path key = each.one("api-key-file", file(SecretFile::checked)).orElse(null);
    BackendTls tls = each.section("tls").map(RoutingFile::tls).orElse(BackendTls.DEFAULT);
    boolean lenient = each.one("lenient-finish", initial.lenientFinish(), Format.SWITCH.parse());
    int weight = each.one("weight", 1, number(1, MOST_WEIGHT));
    int running = each.one("running", initial.running(), number(1, MOST_RUNNING));
    boolean eachAddress = each.one("each-address", false, Format.SWITCH.parse());
    url.ifPresent(at -> checkUrl(each, at, tls, eachAddress));
    return name.flatMap(
        text ->
            url.map(
                at ->
                    new BackendConfig(text, at, key, tls, lenient, weight, running, eachAddress)));
  }

  private static void checkUrl(Section each, BackendUrl url, BackendTls tls, boolean eachAddress) {
    if (!tls.equals(BackendTls.DEFAULT) && !url.secure()) {
      each.wrong("tls", "needs a url of https://");
    }
    if (eachAddress && url.socketPath() != null) {
      each.wrong("each-address", "needs a url with a name, not a socket's path");
    }
  }

  private static BackendTls tls(Section tls) {
    Optional<Path> authorities = tls.one("ca", file(PemFile::certificates));
    Optional<Path> certificate = tls.one("cert", file(PemFile::certificates));
    Optional<Path> key = tls.one("key", file(PemFile::privateKey));
    if (certificate.isPresent() != key.isPresent()) {
      tls.wrong(certificate.isPresent() ? "cert" : "key", "needs cert and key, both");
    }
    Optional<String> serverName = tls.one("server-name", Format.NAME.parse());
    tls.noMore();
    return new BackendTls(
        authorities.orElse(null),
        certificate.orElse(null),
        key.orElse(null),
        serverName.orElse(null));
  }

  private List<Read<ModelConfig>> models() {
    return root.section("models").map(RoutingFile::models).orElse(List.of());
  }

  private static List<Read<ModelConfig>> models(Section models) {
    List<Read<ModelConfig>> found = new ArrayList<>();
    for (String name : models.keys()) {
      if (!isName(name)) {
        models.wrong(name, "must be a name on one line");
      }
      models.section(name).ifPresent(at -> found.add(new Read<>(at, model(name, at))));
    }
    return found;
  }

  private static boolean isName(String name) {
    try {
      return Format.NAME.parse().apply(name).equals(name);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static ModelConfig model(String name, Section each) {
    List<ModelConfig.Target> targets = new ArrayList<>();
    for (Section target : each.sections("targets")) {
      targets.add(target(name, target));
    }
    if (targets.stream().mapToInt(ModelConfig.Target::weight).sum() == 0) {
      each.wrong("targets", "must have at least one with a weight above 0");
    }
    ModelConfig model =
        new ModelConfig(
            name,
            targets,
            each.many("aliases", Format.NAME.parse()),
            each.many("fallback", Format.NAME.parse()),
            each.one("rescue", false, Format.SWITCH.parse()));
    each.noMore();
    return model;
  }

  private static ModelConfig.Target target(String model, Section target) {
    List<String> backends = target.many("backends", RoutingFile::backendName);
    if (backends.isEmpty()) {
      target.wrong("backends", "must name at least one");
    } else if (backends.stream().distinct().count() < backends.size()) {
      target.wrong("backends", "must name each once");
    }
    ModelConfig.Target made =
        new ModelConfig.Target(
            backends,
            target.one("model", model, Format.NAME.parse()),
            target.one("weight", 1, number(0, MOST_WEIGHT)));
    target.noMore();
    return made;
  }

  // --- how texts become values ---

  private static String backendName(String text) {
    if (!BACKEND_NAME.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "must be a name of letters, digits, dots, dashes and underscores, 64 at most");
    }
    return text;
  }

  private static Function<String, Integer> number(int least, int most) {
    return text -> {
      int number = Format.NUMBER.parse().apply(text);
      if (number < least || number > most) {
        throw new IllegalArgumentException("must be from " + least + " to " + most);
      }
      return number;
    };
  }

  /**
   * The path of a file that is in order.
   *
   * @param checked throws {@link IllegalArgumentException} when it is not
   */
  private static Function<String, Path> file(UnaryOperator<Path> checked) {
    return text -> checked.apply(Format.FILE.parse().apply(text));
  }
}
