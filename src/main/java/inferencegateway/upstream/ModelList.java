package inferencegateway.upstream;

import com.openai.core.JsonString;
import com.openai.models.models.Model;
import com.openai.models.models.ModelListPageResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The reply to {@code GET /models}. */
final class ModelList {

  private ModelList() {}

  /**
   * The distinct models in the order given, each by its first name. Left out: entries without a
   * name, adapters (they have a {@code parent}), and further names of the same model (vLLM's {@code
   * --served-model-name} takes several; they share a {@code root}).
   *
   * @throws IOException for what is no list of models
   */
  static List<String> parse(byte[] bytes, int offset, int length) throws IOException {
    ModelListPageResponse page =
        WireJson.MAPPER.readValue(bytes, offset, length, ModelListPageResponse.class);
    List<Model> models =
        page._data().asKnown().orElseThrow(() -> new IOException("no list under data"));
    Map<String, String> nameByRoot = new LinkedHashMap<>();
    for (Model model : models) {
      String name = model._id().asString().orElse("");
      if (!name.isEmpty() && extra(model, "parent").isEmpty()) {
        nameByRoot.putIfAbsent(extra(model, "root").orElse(name), name);
      }
    }
    return List.copyOf(nameByRoot.values());
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
