package inferencegateway.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import inferencegateway.proto.inference.InferenceProto;
import inferencegateway.proto.llm.v1.LlmProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The published contracts hold for ever: what was once named, numbered and typed stays so. */
class ContractTest {

  record Pair(FileDescriptor published, FileDescriptor ours) {
    @Override
    public String toString() {
      return published.getPackage();
    }
  }

  static Stream<Pair> contracts() {
    return Stream.of(
        new Pair(inference.Inference.getDescriptor(), InferenceProto.getDescriptor()),
        new Pair(llm.v1.Llm.getDescriptor(), LlmProto.getDescriptor()));
  }

  @ParameterizedTest
  @MethodSource("contracts")
  void packageStays(Pair contract) {
    assertEquals(contract.published().getPackage(), contract.ours().getPackage());
  }

  @ParameterizedTest
  @MethodSource("contracts")
  void everyMethodStays(Pair contract) {
    for (ServiceDescriptor service : contract.published().getServices()) {
      ServiceDescriptor ours = contract.ours().findServiceByName(service.getName());
      for (MethodDescriptor method : service.getMethods()) {
        MethodDescriptor same = ours.findMethodByName(method.getName());
        assertNotNull(same, method.getFullName());
        assertEquals(method.getInputType().getFullName(), same.getInputType().getFullName());
        assertEquals(method.getOutputType().getFullName(), same.getOutputType().getFullName());
        assertEquals(method.isServerStreaming(), same.isServerStreaming());
        assertEquals(method.isClientStreaming(), same.isClientStreaming());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("contracts")
  void everyFieldKeepsNameNumberAndType(Pair contract) {
    for (Descriptor message : contract.published().getMessageTypes()) {
      Descriptor ours = contract.ours().findMessageTypeByName(message.getName());
      assertNotNull(ours, message.getFullName());
      for (FieldDescriptor field : message.getFields()) {
        FieldDescriptor same = ours.findFieldByNumber(field.getNumber());
        assertNotNull(same, field.getFullName());
        assertEquals(field.getName(), same.getName());
        assertEquals(field.getType(), same.getType(), field.getFullName());
        assertEquals(field.isRepeated(), same.isRepeated(), field.getFullName());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"proto/inference.proto", "proto/llm.proto"})
  void importsOnlyWhatProtocBrings(String file) throws IOException {
    assertTrue(
        Files.readAllLines(Path.of(file)).stream()
            .filter(line -> line.startsWith("import "))
            .allMatch(line -> line.startsWith("import \"google/protobuf/")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"proto/inference.proto", "proto/llm.proto"})
  void everyMessageAndFieldIsExplained(String file) throws IOException {
    String before = "";
    for (String line : Files.readAllLines(Path.of(file))) {
      boolean declares =
          line.matches("\\s+(optional |repeated )?[\\w.<>, ]+ \\w+ = \\d+;")
              || line.matches("\\s+rpc .*");
      assertTrue(
          !declares || before.strip().startsWith("//"), file + ": no comment above: " + line);
      before = line;
    }
  }
}
