package forebay.tiered;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** The certificates that the S3 server's certificate must lead to: a PEM file, or a PKCS #12 or JKS key store. */
final class TrustStore {
    private TrustStore() {}

    static TrustManager[] load(Path path, String password) throws IOException, GeneralSecurityException {
        byte[] bytes = Files.readAllBytes(path);
        KeyStore store = new String(bytes, StandardCharsets.ISO_8859_1).contains("-----BEGIN CERTIFICATE-----")
                ? pem(bytes) : KeyStore.getInstance(path.toFile(), password == null ? null : password.toCharArray());
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyStore pem(byte[] bytes) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int count = 0;
        for (Certificate certificate : CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(bytes))) {
            store.setCertificateEntry("certificate-" + count++, certificate);
        }
        return store;
    }
}
