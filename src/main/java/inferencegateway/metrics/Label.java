package inferencegateway.metrics;

import io.opentelemetry.api.common.AttributeKey;

/** What series are told apart by. The first ones are OpenTelemetry's and gRPC's own. */
final class Label {

  static final AttributeKey<String> OPERATION = AttributeKey.stringKey("gen_ai.operation.name");
  static final AttributeKey<String> PROVIDER = AttributeKey.stringKey("gen_ai.provider.name");
  static final AttributeKey<String> MODEL = AttributeKey.stringKey("gen_ai.request.model");
  static final AttributeKey<String> TOKEN_TYPE = AttributeKey.stringKey("gen_ai.token.type");
  static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  static final AttributeKey<String> METHOD = AttributeKey.stringKey("grpc.method");
  static final AttributeKey<String> STATUS = AttributeKey.stringKey("grpc.status");

  static final AttributeKey<String> CALLER = AttributeKey.stringKey("caller");
  static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("outcome");
  static final AttributeKey<String> REASON = AttributeKey.stringKey("reason");
  static final AttributeKey<String> PHASE = AttributeKey.stringKey("phase");
  static final AttributeKey<String> BACKEND = AttributeKey.stringKey("backend");
  static final AttributeKey<String> STATE = AttributeKey.stringKey("state");
  static final AttributeKey<String> FIRST_TOKEN_CAME = AttributeKey.stringKey("first_token");
  static final AttributeKey<String> KIND = AttributeKey.stringKey("kind");
  static final AttributeKey<String> FILE = AttributeKey.stringKey("file");
  static final AttributeKey<String> RESULT = AttributeKey.stringKey("result");

  private Label() {}
}
