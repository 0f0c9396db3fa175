package inferencegateway.admin;

import inferencegateway.call.LiveCall;
import inferencegateway.proto.admin.v1.AdminGrpc;
import inferencegateway.proto.admin.v1.CancelCallRequest;
import inferencegateway.proto.admin.v1.CancelCallResponse;
import inferencegateway.proto.admin.v1.ListCallsRequest;
import inferencegateway.proto.admin.v1.ListCallsResponse;
import inferencegateway.proto.admin.v1.StatusRequest;
import inferencegateway.proto.admin.v1.StatusResponse;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code inferencegateway.admin.v1.Admin}. Thread: any; nothing here waits. */
public final class AdminService {

  private static final Logger LOG = LoggerFactory.getLogger(AdminService.class);

  private static final int MOST_LISTED = 1_000;

  /** A request id as the api room lets in, at most; anything longer is nobody's. */
  private static final int ID_CHARS_LOGGED = 128;

  private final Watched watched;

  public AdminService(Watched watched) {
    this.watched = watched;
  }

  public ServerServiceDefinition service() {
    return new Methods().bindService();
  }

  private final class Methods extends AdminGrpc.AdminImplBase {

    @Override
    public void status(StatusRequest request, StreamObserver<StatusResponse> answer) {
      reply(answer, StatusView.of(watched));
    }

    @Override
    public void listCalls(ListCallsRequest request, StreamObserver<ListCallsResponse> answer) {
      reply(answer, list(request.getLimit()));
    }

    @Override
    public void cancelCall(CancelCallRequest request, StreamObserver<CancelCallResponse> answer) {
      reply(answer, CancelCallResponse.newBuilder().setCancelled(cancel(request)).build());
    }
  }

  private static <A> void reply(StreamObserver<A> answer, A message) {
    answer.onNext(message);
    answer.onCompleted();
  }

  private ListCallsResponse list(int limit) {
    int most = limit <= 0 ? MOST_LISTED : Math.min(limit, MOST_LISTED);
    List<LiveCall> all = watched.calls().live().toList();
    ListCallsResponse.Builder list = ListCallsResponse.newBuilder().setTotal(all.size());
    all.stream()
        .sorted(Comparator.comparingLong(LiveCall::ageNanos).reversed())
        .limit(most)
        .map(CallView::of)
        .forEach(list::addCalls);
    return list.build();
  }

  private int cancel(CancelCallRequest request) {
    String id = request.getRequestId();
    int cancelled = watched.calls().cancel(id);
    if (cancelled > 0) {
      LOG.info(
          "Ended by an operator: {} call(s) with request id {}",
          cancelled,
          id.substring(0, Math.min(id.length(), ID_CHARS_LOGGED)));
    }
    return cancelled;
  }
}
