package inferencegateway.server;

import io.grpc.netty.shaded.io.netty.handler.ssl.OpenSslCertificateException;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.PKIXReason;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Java's own judgement of callers' certificates. Where it finds none of our authorities behind one,
 * that is said in a form that Netty's OpenSSL tells the caller as {@code unknown_ca}; what it does
 * not know it tells as {@code internal_error}, which sends people looking in the wrong place.
 */
final class ClientTrust extends X509ExtendedTrustManager {

  /** X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY. */
  private static final int NO_ISSUER = 20;

  private final X509ExtendedTrustManager own;

  private ClientTrust(X509ExtendedTrustManager own) {
    this.own = own;
  }

  static ClientTrust in(List<X509Certificate> authorities) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (int i = 0; i < authorities.size(); i++) {
        store.setCertificateEntry(Integer.toString(i), authorities.get(i));
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      for (TrustManager each : factory.getTrustManagers()) {
        if (each instanceof X509ExtendedTrustManager extended) {
          return new ClientTrust(extended);
        }
      }
      throw new IllegalStateException("every Java judges X.509 certificates");
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("a store in memory takes certificates", e);
    }
  }

  private static CertificateException explained(CertificateException refused) {
    for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
      if (saysNoAuthority(cause)) {
        // Without its cause: the innermost one is what is told to people.
        return new OpenSslCertificateException(
            "no authority of tls.client-ca has signed the certificate", NO_ISSUER);
      }
    }
    return refused;
  }

  /** A signature that is wrong is as a rule that of another authority of the same name. */
  private static boolean saysNoAuthority(Throwable cause) {
    if (cause instanceof CertPathValidatorException invalid) {
      return invalid.getReason() == PKIXReason.NO_TRUST_ANCHOR
          || invalid.getReason() == BasicReason.INVALID_SIGNATURE;
    }
    return cause instanceof CertPathBuilderException && cause.getCause() == null;
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    try {
      own.checkClientTrusted(chain, type);
    } catch (CertificateException e) {
      throw explained(e);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    try {
      own.checkClientTrusted(chain, type, socket);
    } catch (CertificateException e) {
      throw explained(e);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    try {
      own.checkClientTrusted(chain, type, engine);
    } catch (CertificateException e) {
      throw explained(e);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    own.checkServerTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    own.checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    own.checkServerTrusted(chain, type, engine);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return own.getAcceptedIssuers();
  }
}
