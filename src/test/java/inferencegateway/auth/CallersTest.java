package inferencegateway.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import inferencegateway.testing.Authority;
import inferencegateway.testing.Issued;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** P25, S3, S12: whose a call is. */
class CallersTest {

  private static final String KEY = "igw_0123456789abcdefghijklmnopqrstuvwxyz";
  private static final String NEXT_KEY = "igw_zyxwvutsrqponmlkjihgfedcba9876543210";
  private static final Authority AUTHORITY = new Authority("CN=Test CA");

  private final Callers callers =
      Callers.of(
          List.of(
              listed("shop", List.of(KEY, NEXT_KEY), List.of(), List.of()),
              listed(
                  "web",
                  List.of(),
                  List.of("spiffe://corp/ns/a/*", "spiffe://corp/ns/x/sa/one"),
                  List.of("CN=web,O=Corp")),
              listed("all-of-a-b", List.of(), List.of("spiffe://corp/ns/a/b/*"), List.of()),
              listed("partner", List.of(), List.of("spiffe://partner/*"), List.of())));

  private static Listed listed(
      String name, List<String> keys, List<String> spiffe, List<String> subjects) {
    return new Listed(
        Caller.known(name, Allowed.ALL, Allowed.ALL, CallerLimits.NONE),
        keys.stream().map(KeyHash::of).toList(),
        spiffe.stream().map(SpiffePattern::parse).toList(),
        subjects.stream().map(X500Principal::new).toList());
  }

  private static X509Certificate certificate(String subject, String... uris) {
    Authority.Request request = AUTHORITY.to(subject);
    for (String uri : uris) {
      request.uri(uri);
    }
    return request.issue().certificate();
  }

  private String byKey(String... authorization) {
    return told(callers.identify(new Presented(List.of(authorization), null, "10.0.0.1")));
  }

  private String byCertificate(X509Certificate certificate) {
    return told(callers.identify(new Presented(List.of(), certificate, "10.0.0.1")));
  }

  /** The caller's name, or why there is none in brackets. */
  private static String told(Identity identity) {
    return identity instanceof Identity.Known known
        ? known.caller().name()
        : "(" + ((Identity.Unknown) identity).why() + ")";
  }

  @Test
  void bothKeysOfARotationAreGood() {
    assertEquals("shop", byKey("Bearer " + KEY));
    assertEquals("shop", byKey("bearer " + NEXT_KEY));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Bearer",
        "Bearer ",
        "Basic aWd3OmtleQ==",
        "Bearer KEY KEY",
        "Bearer KEY,",
        "BearerKEY",
        " Bearer KEY",
        "Bearer KEY\n",
        "Bearer \u0000KEY",
        "Token KEY"
      })
  void whatIsNoBearerKeyIsNobodys(String authorization) {
    assertEquals(
        "(authorization is not Bearer and a key)", byKey(authorization.replace("KEY", KEY)));
  }

  @Test
  void otherKeysAreNobodys() {
    String digest = KeyHash.of(KEY).text();
    for (String key :
        List.of("x", KEY + "x", KEY.substring(1), KEY.toUpperCase(), digest.substring(7))) {
      assertEquals("(unknown key)", byKey("Bearer " + key));
    }
    assertEquals("(several authorization values)", byKey("Bearer " + KEY, "Bearer " + KEY));
    assertEquals("(authorization is not Bearer and a key)", byKey("Bearer " + "a".repeat(100_000)));
    assertEquals("(no credential)", byKey());
  }

  @ParameterizedTest
  @CsvSource({
    "spiffe://corp/ns/a/sa/shop, web",
    "spiffe://corp/ns/a/b, web",
    "spiffe://corp/ns/a/b/c, all-of-a-b",
    "spiffe://corp/ns/a/b/c/d/e, all-of-a-b",
    "spiffe://corp/ns/x/sa/one, web",
    "spiffe://partner/anything, partner",
    "spiffe://corp/ns/ab/sa/shop, (unknown certificate)",
    "spiffe://corp/ns/a, (unknown certificate)",
    "spiffe://corp/ns/x/sa/one/more, (unknown certificate)",
    "spiffe://corp/ns/x/sa/on, (unknown certificate)",
    "spiffe://corp2/ns/a/sa/shop, (unknown certificate)",
    "spiffe://corp.evil/ns/a/sa/shop, (unknown certificate)",
    "spiffe://evil/corp/ns/a/b, (unknown certificate)",
  })
  void spiffeIdsAreMatchedByWholeSegmentsOfTheirTrustDomain(String id, String caller) {
    // The subject is listed, and does not matter beside a SPIFFE ID.
    assertEquals(caller, byCertificate(certificate("CN=web,O=Corp", id)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spiffe://corp/ns/a/../a/x",
        "spiffe://corp/ns/a/./x",
        "spiffe://corp/ns/a//x",
        "spiffe://corp/ns/a/x/",
        "spiffe://corp/ns/a/x?y=z",
        "spiffe://corp/ns/a/x#y",
        "spiffe://corp:443/ns/a/x",
        "spiffe://user@corp/ns/a/x",
        "spiffe://corp/ns/a/%78",
        "spiffe://CORP/ns/a/x",
        "SPIFFE://corp/ns/a/x",
        "spiffe://corp",
        "spiffe:/corp/ns/a/x",
        "spiffe:corp"
      })
  void malformedSpiffeIdsAreNobodysAndNotEvenTheirSubjects(String id) {
    assertEquals(
        "(certificate with unusable URI names)", byCertificate(certificate("CN=web,O=Corp", id)));
  }

  @Test
  void secondUriNameBesideASpiffeIdMakesItNobodys() {
    String good = "spiffe://corp/ns/a/sa/shop";
    for (String other : List.of(good, "spiffe://corp/ns/b", "https://corp/", "urn:x:y")) {
      assertEquals(
          "(certificate with unusable URI names)",
          byCertificate(certificate("CN=web,O=Corp", good, other)));
    }
  }

  @Test
  void withoutSpiffeIdTheSubjectCounts() {
    assertEquals("web", byCertificate(certificate("CN=web,O=Corp")));
    assertEquals("web", byCertificate(certificate("CN=web,O=Corp", "https://corp/web")));
    assertEquals("web", byCertificate(certificate("cn=WEB, o=corp")), "as RFC 4518 compares");
    for (String other :
        List.of("CN=web", "O=Corp,CN=web", "CN=web,O=Corp,C=DE", "CN=web2,O=Corp")) {
      assertEquals("(unknown certificate)", byCertificate(certificate(other)));
    }
  }

  @Test
  void certificateThatExpiresOnAnOpenConnectionIsNoMoreGood() {
    Issued short1 = AUTHORITY.to("CN=web,O=Corp").until(Instant.now().minusSeconds(1)).issue();
    assertEquals("(certificate has expired)", byCertificate(short1.certificate()));
  }

  @Test
  void keyDecidesOverCertificate() {
    X509Certificate web = certificate("CN=web,O=Corp");
    assertEquals("shop", told(callers.identify(new Presented(List.of("Bearer " + KEY), web, "h"))));
    assertEquals(
        "(unknown key)", told(callers.identify(new Presented(List.of("Bearer x"), web, "h"))));
    assertEquals(
        "(authorization is not Bearer and a key)",
        told(callers.identify(new Presented(List.of("Basic x"), web, "h"))));
  }

  @Test
  void withoutAListEverybodyIsLetInAndToldApartByCertificateOrHost() {
    Presented nobody = new Presented(List.of("Bearer whatever"), null, "10.0.0.1");
    Caller anyone = ((Identity.Known) Callers.ANYONE.identify(nobody)).caller();
    assertEquals("", anyone.name());
    assertEquals("10.0.0.1", anyone.share());
    Presented certified =
        new Presented(List.of(), certificate("CN=x", "spiffe://corp/ns/a/x"), "10.0.0.1");
    assertEquals("spiffe://corp/ns/a/x", told(Callers.ANYONE.identify(certified)));
    Presented subject = new Presented(List.of(), certificate("CN=x"), "10.0.0.1");
    assertEquals("CN=x", told(Callers.ANYONE.identify(subject)));
  }

  @Test
  void credentialOfTwoCallersIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            Callers.of(
                List.of(
                    listed("a", List.of(KEY), List.of(), List.of()),
                    listed("b", List.of(KEY), List.of(), List.of()))));
  }

  @Test
  void nothingOfAKeyIsInAnyText() {
    String all =
        KeyHash.of(KEY)
            + " "
            + new Presented(List.of("Bearer " + KEY), null, "h")
            + " "
            + listed("shop", List.of(KEY), List.of(), List.of())
            + " "
            + callers
            + byKey("Bearer " + KEY + "x");
    assertFalse(all.contains(KEY.substring(0, 6)), all);
    assertFalse(all.contains(KeyHash.of(KEY).text().substring(7, 15)), all);
  }

  @Test
  void namesMayEndInAStar() {
    Allowed some = new Allowed(List.of("llama", "qwen-*"));
    assertEquals(
        List.of(true, true, true, false, false, false),
        List.of("llama", "qwen-", "qwen-7b", "llama2", "qwen", "").stream()
            .map(some::has)
            .toList());
    assertEquals(List.of(true, true), List.of("x", "").stream().map(Allowed.ALL::has).toList());
    assertFalse(new Allowed(List.of()).has(""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spiffe://corp",
        "spiffe://corp/a/",
        "spiffe://corp/a*",
        "spiffe://*/a",
        "corp/a",
        "spiffe://corp/*/a",
        "https://corp/a",
        "*",
        "spiffe://Corp/a"
      })
  void patternsThatCouldMeanMoreThanTheySayAreRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> SpiffePattern.parse(text));
  }
}
