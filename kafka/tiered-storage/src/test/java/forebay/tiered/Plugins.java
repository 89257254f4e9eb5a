package forebay.tiered;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Plugins that use the server in this process. */
final class Plugins {
    private Plugins() {}

    static Map<String, Object> settings(FakeS3 fake, Path folder) throws IOException {
        Path credentials = folder.resolve("credentials");
        writeCredentials(credentials, "KEY", "secret");
        return new HashMap<>(Map.of("broker.id", 1, "endpoint", fake.endpoint(), "bucket", FakeS3.BUCKET, "credentials.file", credentials.toString(),
                "part.size.bytes", "5242880"));
    }

    static void writeCredentials(Path file, String key, String secret) throws IOException {
        Files.writeString(file, "[default]\naws_access_key_id = " + key + "\naws_secret_access_key = " + secret + "\n");
    }

    /** A plugin with these settings besides, as pairs of names and values. */
    static ForebayRemoteStorageManager start(FakeS3 fake, Path folder, String... more) throws IOException {
        Map<String, Object> settings = settings(fake, folder);
        for (int index = 0; index < more.length; index += 2) {
            settings.put(more[index], more[index + 1]);
        }
        ForebayRemoteStorageManager plugin = new ForebayRemoteStorageManager();
        plugin.configure(settings);
        return plugin;
    }
}
