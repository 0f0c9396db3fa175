package inferencegateway.upstream;

import com.openai.models.models.Model;
import com.openai.models.models.ModelListPageResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The reply to {@code GET /models}. */
final class ModelList {

  private ModelList() {}

  /**
   * Names in the order given; entries without one are left out.
   *
   * @throws IOException for what is no list of models
   */
  static List<String> parse(byte[] bytes, int offset, int length) throws IOException {
    ModelListPageResponse page =
        WireJson.MAPPER.readValue(bytes, offset, length, ModelListPageResponse.class);
    List<Model> models =
        page._data().asKnown().orElseThrow(() -> new IOException("no list under data"));
    return models.stream()
        .map(model -> model._id().asString())
        .flatMap(Optional::stream)
        .filter(id -> !id.isEmpty())
        .toList();
  }
}
