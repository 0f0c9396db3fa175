package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import inferencegateway.testing.RecordingObserver;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tools that know no proto ask for it, in the current words and in the ones before. */
class ReflectionTest {

  private static final Duration LONG = Duration.ofSeconds(10);

  private static final Set<String> SERVED =
      Set.of(
          "inference.InferenceService",
          "llm.v1.LLMService",
          "grpc.health.v1.Health",
          "xds.service.orca.v3.OpenRcaService");

  @Test
  void listsServicesAndHandsOutBothContracts() throws Exception {
    try (Rig rig = Rig.start()) {
      ManagedChannel channel = rig.callers().channel();
      Set<String> listed = new TreeSet<>();
      ask(channel, ServerReflectionRequest.newBuilder().setListServices("").build())
          .getListServicesResponse()
          .getServiceList()
          .stream()
          .map(ServiceResponse::getName)
          .forEach(listed::add);
      assertTrue(listed.containsAll(SERVED), listed.toString());
      assertEquals(
          List.of("Generate", "GenerateStream", "Health"),
          methods(files(channel, "inference.InferenceService")));
      assertEquals(
          List.of("Complete", "CompleteStream"), methods(files(channel, "llm.v1.LLMService")));
    }
  }

  @Test
  void handsOutWhatErrorsCarry() {
    try (Rig rig = Rig.start()) {
      ManagedChannel channel = rig.callers().channel();
      for (Message carried :
          List.of(
              com.google.rpc.Status.getDefaultInstance(),
              ErrorInfo.getDefaultInstance(),
              BadRequest.getDefaultInstance(),
              RetryInfo.getDefaultInstance())) {
        FileDescriptor file = carried.getDescriptorForType().getFile();
        assertEquals(
            file.toProto().toByteString(),
            files(channel, carried.getDescriptorForType().getFullName()).get(0));
      }
    }
  }

  @Test
  @SuppressWarnings("deprecation") // what many tools still ask first
  void theOlderWordsGetTheSame() throws Exception {
    try (Rig rig = Rig.start()) {
      RecordingObserver<
              io.grpc.reflection.v1alpha.ServerReflectionRequest,
              io.grpc.reflection.v1alpha.ServerReflectionResponse>
          answers = RecordingObserver.eager();
      var asked =
          io.grpc.reflection.v1alpha.ServerReflectionGrpc.newStub(rig.callers().channel())
              .serverReflectionInfo(answers);
      asked.onNext(
          io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
              .setListServices("")
              .build());
      for (String service : SERVED) {
        asked.onNext(
            io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol(service)
                .build());
      }
      asked.onCompleted();
      assertTrue(answers.awaitEnd(LONG).isOk());
      assertTrue(answers.messages().get(0).getListServicesResponse().getServiceCount() >= 3);
      for (var answer : answers.messages().subList(1, 4)) {
        assertTrue(answer.getFileDescriptorResponse().getFileDescriptorProtoCount() > 0);
      }
    }
  }

  @Test
  void turnedOffItIsUnimplemented() {
    try (Rig rig = Rig.start(Map.of("reflection.enabled", "false"))) {
      RecordingObserver<ServerReflectionRequest, ServerReflectionResponse> answers =
          RecordingObserver.eager();
      ServerReflectionGrpc.newStub(rig.callers().channel())
          .serverReflectionInfo(answers)
          .onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
      assertEquals(Status.Code.UNIMPLEMENTED, answers.awaitEnd(LONG).getCode());
    }
  }

  private static List<ByteString> files(ManagedChannel channel, String symbol) {
    return ask(
            channel, ServerReflectionRequest.newBuilder().setFileContainingSymbol(symbol).build())
        .getFileDescriptorResponse()
        .getFileDescriptorProtoList();
  }

  private static List<String> methods(List<ByteString> files)
      throws InvalidProtocolBufferException {
    return FileDescriptorProto.parseFrom(files.get(0)).getService(0).getMethodList().stream()
        .map(method -> method.getName())
        .toList();
  }

  private static ServerReflectionResponse ask(
      ManagedChannel channel, ServerReflectionRequest request) {
    RecordingObserver<ServerReflectionRequest, ServerReflectionResponse> answers =
        RecordingObserver.eager();
    StreamObserver<ServerReflectionRequest> asked =
        ServerReflectionGrpc.newStub(channel).serverReflectionInfo(answers);
    asked.onNext(request);
    asked.onCompleted();
    Status end = answers.awaitEnd(LONG);
    assertTrue(end.isOk(), end.toString());
    return answers.messages().get(0);
  }
}
