package inferencegateway.upstream;

import com.openai.core.JsonString;
import com.openai.models.models.Model;
import com.openai.models.models.ModelListPageResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The reply to {@code GET /models}. */
final class ModelList {

  private ModelList() {}

  /**
   * In the order given. Models: the distinct ones, each by its first name. Left out of them:
   * adapters (they have a {@code parent}), and further names of the same model (vLLM's {@code
   * --served-model-name} takes several; they share a {@code root}). Entries without a name are left
   * out of everything.
   *
   * @throws IOException for what is no list of models
   */
  static ProbeAnswer.Up parse(byte[] bytes, int offset, int length) throws IOException {
    ModelListPageResponse page =
        WireJson.MAPPER.readValue(bytes, offset, length, ModelListPageResponse.class);
    List<Model> models =
        page._data().asKnown().orElseThrow(() -> new IOException("no list under data"));
    Map<String, String> nameByRoot = new LinkedHashMap<>();
    Set<String> names = new LinkedHashSet<>();
    for (Model model : models) {
      String name = model._id().asString().orElse("");
      if (!name.isEmpty()) {
        names.add(name);
      }
      if (!name.isEmpty() && extra(model, "parent").isEmpty()) {
        nameByRoot.putIfAbsent(extra(model, "root").orElse(name), name);
      }
    }
    return new ProbeAnswer.Up(List.copyOf(nameByRoot.values()), List.copyOf(names));
  }

  /** A field of vLLM's that OpenAI does not have. */
  @SuppressWarnings("deprecation") // the only way to fields that the library does not know
  private static Optional<String> extra(Model model, String field) {
    return model._additionalProperties().get(field) instanceof JsonString text
            && !text.value().isEmpty()
        ? Optional.of(text.value())
        : Optional.empty();
  }
}
