package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers with TLS. A start with a certificate that is not trusted is refused, and says what to name. */
class CertificateTest {
    private static final String PASSWORD = "password";

    @TempDir
    static Path certificates;

    @TempDir
    Path folder;

    private static Path own;
    private static Path other;
    private static Path wrongName;

    @BeforeAll
    static void make() throws Exception {
        own = keyStore("own", "ip:127.0.0.1");
        other = keyStore("other", "ip:127.0.0.1");
        wrongName = keyStore("wrong-name", "dns:somewhere.else.example");
    }

    /** A key, and a certificate that it signs for itself. */
    private static Path keyStore(String name, String subject) throws Exception {
        Path file = certificates.resolve(name + ".p12");
        List<String> words = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        words.addAll(List.of("-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "san=" + subject, "-validity", "30",
                "-storetype", "PKCS12", "-keystore", file.toString(), "-storepass", PASSWORD));
        assertEquals(0, new ProcessBuilder(words).redirectErrorStream(true).start().waitFor());
        return file;
    }

    private static KeyStore load(Path file) throws Exception {
        return KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
    }

    private static Path pem(Path keyStore) throws Exception {
        String encoded = Base64.getMimeEncoder().encodeToString(load(keyStore).getCertificate("server").getEncoded());
        Path file = Path.of(keyStore + ".pem");
        return Files.writeString(file, "-----BEGIN CERTIFICATE-----\n" + encoded + "\n-----END CERTIFICATE-----\n");
    }

    private static FakeS3 serve(Path keyStore) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(load(keyStore), PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return new FakeS3(server);
    }

    private Map<String, Object> settings(FakeS3 fake, Object... more) throws IOException {
        Map<String, Object> settings = Plugins.settings(fake, folder);
        settings.put("endpoint", fake.endpoint().replace("http:", "https:"));
        settings.put("timeout.ms", "5000");
        for (int index = 0; index < more.length; index += 2) {
            settings.put((String) more[index], more[index + 1].toString());
        }
        return settings;
    }

    private static String refused(Map<String, Object> settings) throws IOException {
        try (ForebayRemoteStorageManager plugin = new ForebayRemoteStorageManager()) {
            return assertThrows(ConfigException.class, () -> plugin.configure(settings)).getMessage();
        }
    }

    @Test
    void a_certificate_that_is_trusted_is_accepted() throws Exception {
        try (FakeS3 fake = serve(own)) {
            for (Object[] trusted : new Object[][] {{"trust.store", pem(own)}, {"trust.store", own, "trust.store.password", PASSWORD}}) {
                try (ForebayRemoteStorageManager plugin = new ForebayRemoteStorageManager()) {
                    plugin.configure(settings(fake, trusted));
                    TestSegment segment = TestSegment.write(folder, 100, 300_000);
                    segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
                    try (InputStream stream = plugin.fetchLogSegment(segment.metadata(), 0)) {
                        assertArrayEquals(segment.bytes, stream.readAllBytes());
                    }
                    plugin.deleteLogSegmentData(segment.metadata());
                }
            }
        }
    }

    @Test
    void a_certificate_that_is_not_trusted_is_refused_with_a_remedy() throws Exception {
        try (FakeS3 fake = serve(own)) {
            for (Object[] trusted : new Object[][] {{}, {"trust.store", pem(other)}}) {
                String message = refused(settings(fake, trusted));
                assertTrue(message.contains("is not trusted") && message.contains("rsm.config.trust.store"), Arrays.toString(trusted) + message);
            }
        }
    }

    @Test
    void a_certificate_with_another_name_is_refused() throws Exception {
        try (FakeS3 fake = serve(wrongName)) {
            String message = refused(settings(fake, "trust.store", pem(wrongName)));
            assertTrue(message.contains("use a name that the certificate has"), message);
        }
    }

    @Test
    void a_trust_store_that_is_none_is_refused() throws Exception {
        Path junk = Files.writeString(folder.resolve("junk"), "no certificate");
        try (FakeS3 fake = serve(own)) {
            String message = refused(settings(fake, "trust.store", junk));
            assertTrue(message.contains("rsm.config.trust.store"), message);
            assertTrue(refused(settings(fake, "trust.store", folder.resolve("none"))).contains("rsm.config.trust.store"));
        }
    }

    /** The server may be started again with TLS, so the broker starts. */
    @Test
    void a_port_without_tls_does_not_stop_the_start() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress()); FakeS3 fake = serve(own)) {
            Thread answering = new Thread(() -> {
                try {
                    while (true) {
                        try (Socket socket = plain.accept()) {
                            socket.getInputStream().read(new byte[1000]);
                            socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                        }
                    }
                } catch (IOException closed) {
                    // The test is over.
                }
            });
            answering.start();
            Map<String, Object> settings = settings(fake, "trust.store", pem(own));
            settings.put("endpoint", "https://127.0.0.1:" + plain.getLocalPort());
            try (ForebayRemoteStorageManager plugin = new ForebayRemoteStorageManager()) {
                plugin.configure(settings);
                TestSegment segment = TestSegment.write(folder, 100, 1000);
                String message = assertThrows(RemoteStorageException.class,
                        () -> plugin.copyLogSegmentData(segment.metadata(), segment.data)).getMessage();
                assertTrue(message.contains("See whether the port speaks TLS"), message);
            }
        }
    }
}
