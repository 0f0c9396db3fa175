package inferencegateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The folder tree is the design: who may know whom. */
@AnalyzeClasses(packages = "inferencegateway", importOptions = ImportOption.DoNotIncludeTests.class)
class RoomsTest {

  private static final String NETTY = "io.grpc.netty.shaded..";
  private static final String GRPC = "io.grpc..";
  private static final String OPENAI = "com.openai..";

  @ArchTest
  static final ArchRule arrowsGoOneWay =
      slices().matching("inferencegateway.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule nobodyReachesUpToTheRoot =
      noClasses()
          .that()
          .resideInAPackage("inferencegateway.*..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("inferencegateway");

  @ArchTest
  static final ArchRule chatKnowsNothing =
      noClasses()
          .that()
          .resideInAPackage("..chat..")
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages("inferencegateway.chat..", "java..", "org.jspecify..");

  /** Whose a call is can be told, and tested, without a server. */
  @ArchTest
  static final ArchRule authKnowsNothing =
      noClasses()
          .that()
          .resideInAPackage("..auth..")
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages(
              "inferencegateway.auth..", "java..", "javax.security.auth..", "org.jspecify..");

  @ArchTest static final ArchRule configKnowsNoProtocol = room("config", GRPC, OPENAI);

  @ArchTest static final ArchRule apiSeesNoTransport = room("api", NETTY, OPENAI);

  @ArchTest
  static final ArchRule callSeesNoStubs =
      room("call", NETTY, OPENAI, "io.grpc.stub..", "inferencegateway.proto..");

  @ArchTest static final ArchRule admissionKnowsNoGrpc = room("admission", GRPC, OPENAI);

  @ArchTest static final ArchRule routeKnowsNoGrpc = room("route", GRPC, OPENAI);

  @ArchTest static final ArchRule upstreamKnowsNoGrpc = room("upstream", GRPC);

  @ArchTest
  static final ArchRule httpKnowsNoMeaning =
      noClasses()
          .that()
          .resideInAPackage("inferencegateway.http..")
          .should()
          .dependOnClassesThat(
              com.tngtech.archunit.base.DescribedPredicate.describe(
                  "gRPC, OpenAI or chat",
                  type ->
                      type.getPackageName().startsWith("com.openai")
                          || type.getPackageName().startsWith("inferencegateway.chat")
                          || (type.getPackageName().startsWith("io.grpc")
                              && !type.getPackageName().startsWith("io.grpc.netty.shaded"))));

  @ArchTest
  static final ArchRule serverLooksIntoNoCall =
      room("server", OPENAI, "inferencegateway.api..", "inferencegateway.call..");

  @ArchTest
  static final ArchRule simulatorStandsAlone =
      noClasses()
          .that()
          .resideInAPackage("..simulator..")
          .should()
          .dependOnClassesThat(
              com.tngtech.archunit.base.DescribedPredicate.describe(
                  "another room",
                  type ->
                      type.getPackageName().startsWith("inferencegateway")
                          && !type.getPackageName().startsWith("inferencegateway.simulator")));

  @ArchTest
  static final ArchRule onlyTheRootKnowsTheBench =
      noClasses()
          .that()
          .resideInAPackage("inferencegateway.*..")
          .and()
          .resideOutsideOfPackage("..bench..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("..bench..");

  /** Three that serve, and the one that puts load on them. */
  @ArchTest
  static final ArchRule onlyFourRoomsSeeNetty =
      noClasses()
          .that()
          .resideOutsideOfPackages("..server..", "..http..", "..simulator..", "..bench..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.grpc.netty.shaded.io.netty..");

  private static ArchRule room(String name, String... forbidden) {
    return noClasses()
        .that()
        .resideInAPackage("inferencegateway." + name + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden)
        .allowEmptyShould(true);
  }
}
