package inferencegateway.api;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.rpc.ErrorDetailsProto;
import com.google.rpc.StatusProto;
import io.grpc.protobuf.ProtoFileDescriptorSupplier;
import java.util.ArrayList;
import java.util.List;

/**
 * A contract as reflection hands it out: the file, and with it the google.rpc messages that its
 * errors carry, so that tools which know no proto print them instead of bytes.
 *
 * <p>Reflection finds what the files of the listed services import, and nothing else. The proto
 * itself does not import them: then one line makes stubs in any language.
 */
final class ReflectedContract implements ProtoFileDescriptorSupplier {

  private static final List<FileDescriptor> ERRORS =
      List.of(StatusProto.getDescriptor(), ErrorDetailsProto.getDescriptor());

  private final FileDescriptor file;

  ReflectedContract(FileDescriptor contract) {
    FileDescriptorProto.Builder proto = contract.toProto().toBuilder();
    List<FileDescriptor> imports = new ArrayList<>(contract.getDependencies());
    for (FileDescriptor errors : ERRORS) {
      proto.addDependency(errors.getFullName());
      imports.add(errors);
    }
    try {
      file = FileDescriptor.buildFrom(proto.build(), imports.toArray(FileDescriptor[]::new));
    } catch (DescriptorValidationException e) {
      throw new AssertionError(contract.getFullName(), e);
    }
  }

  @Override
  public FileDescriptor getFileDescriptor() {
    return file;
  }
}
