package inferencegateway.upstream;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** The two ways JSON is handled here: token by token, and as openai-java's types. */
final class WireJson {

  /**
   * Reads what backends write: Python's NaN is let through, 1,000 levels and 1,000 digits are the
   * end. Strings are bounded by the size of the event, not here. Names are shared per factory and
   * never interned in the JVM, since a backend may put anything into them.
   */
  static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(1_000)
                  .maxNumberLength(1_000)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          .enable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          .build();

  /**
   * Reads and writes openai-java's types, by their annotations alone. The library's own mapper
   * writes the same (a test holds them together) but starts Kotlin's reflection for it: a second
   * and more on the first request.
   */
  static final JsonMapper MAPPER =
      JsonMapper.builder(FACTORY)
          .disable(
              MapperFeature.AUTO_DETECT_CREATORS,
              MapperFeature.AUTO_DETECT_FIELDS,
              MapperFeature.AUTO_DETECT_GETTERS,
              MapperFeature.AUTO_DETECT_IS_GETTERS,
              MapperFeature.AUTO_DETECT_SETTERS)
          .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private WireJson() {}
}
