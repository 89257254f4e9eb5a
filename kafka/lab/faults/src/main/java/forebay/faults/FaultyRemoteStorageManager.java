package forebay.faults;

import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * The plugin, whose requests meet Errors while the file exists that {@code rsm.config.faults.file} names. The Errors are thrown where a
 * request is sent, so within each call of the plugin.
 */
public final class FaultyRemoteStorageManager implements RemoteStorageManager {
    private static final String PLUGIN = "forebay.tiered.ForebayRemoteStorageManager";
    private static final String FILE = "faults.file";

    private RemoteStorageManager plugin;

    /** Made by Kafka, which calls {@link #configure} next. */
    public FaultyRemoteStorageManager() {}

    @Override
    public void configure(Map<String, ?> configs) {
        Map<String, Object> own = new HashMap<>(configs);
        Object file = own.remove(FILE);
        if (file == null) {
            throw new ConfigException("rsm.config." + FILE + " must name the file that switches Errors on");
        }
        Path path = Path.of(file.toString());
        Errors errors = new Errors(() -> Files.exists(path));
        UnaryOperator<SdkHttpClient> wrap = inner -> new ThrowingHttpClient(inner, errors);
        try {
            // The plugin has this constructor for its own tests.
            Constructor<?> constructor = Class.forName(PLUGIN).getDeclaredConstructor(UnaryOperator.class);
            constructor.setAccessible(true);
            plugin = (RemoteStorageManager) constructor.newInstance(wrap);
        } catch (ReflectiveOperationException unusable) {
            throw new ConfigException(PLUGIN + " cannot be made: " + unusable);
        }
        plugin.configure(own);
    }

    @Override
    public Optional<CustomMetadata> copyLogSegmentData(RemoteLogSegmentMetadata metadata, LogSegmentData data) throws RemoteStorageException {
        return plugin.copyLogSegmentData(metadata, data);
    }

    @Override
    public InputStream fetchLogSegment(RemoteLogSegmentMetadata metadata, int startPosition) throws RemoteStorageException {
        return plugin.fetchLogSegment(metadata, startPosition);
    }

    @Override
    public InputStream fetchLogSegment(RemoteLogSegmentMetadata metadata, int startPosition, int endPosition) throws RemoteStorageException {
        return plugin.fetchLogSegment(metadata, startPosition, endPosition);
    }

    @Override
    public InputStream fetchIndex(RemoteLogSegmentMetadata metadata, IndexType indexType) throws RemoteStorageException {
        return plugin.fetchIndex(metadata, indexType);
    }

    @Override
    public void deleteLogSegmentData(RemoteLogSegmentMetadata metadata) throws RemoteStorageException {
        plugin.deleteLogSegmentData(metadata);
    }

    @Override
    public void close() throws java.io.IOException {
        if (plugin != null) {
            plugin.close();
        }
    }
}
