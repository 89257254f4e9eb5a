package org.apache.kafka.server.log.remote.storage;

import static org.apache.kafka.server.log.remote.storage.LocalTieredStorageEvent.EventType;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.server.log.remote.storage.LocalTieredStorageListener.LocalTieredStorageListeners;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentFileset.RemoteLogSegmentFileType;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;

/**
 * Stands in for Kafka's class of this name, which is final and which Kafka's tests name. It keeps two tiers: files laid out as Kafka's tests look for them, and the
 * plugin. What brokers read comes from the plugin, and every byte is compared with the files.
 *
 * <p>System properties that begin with {@code forebay.tier.} are settings of the plugin, such as {@code forebay.tier.endpoint}.
 */
public final class LocalTieredStorage implements RemoteStorageManager {
    /** Names of settings that Kafka's tests use. */
    public static final String STORAGE_DIR_CONFIG = "dir";
    public static final String DELETE_ON_CLOSE_CONFIG = "delete.on.close";
    public static final String TRANSFERER_CLASS_CONFIG = "transferer.class";
    public static final String ENABLE_DELETE_API_CONFIG = "delete.enable";
    public static final String BROKER_ID = "broker.id";

    private static final String FOLDER = "kafka-tiered-storage";
    private static final String PLUGIN = "forebay.tiered.ForebayRemoteStorageManager";
    private static final String SETTING = "forebay.tier.";
    private static final LongAdder COPIES = new LongAdder();

    private final RemoteStorageManager plugin = plugin();
    private final LocalTieredStorageListeners listeners = new LocalTieredStorageListeners();
    private final LocalTieredStorageHistory history = new LocalTieredStorageHistory();
    private final AtomicInteger events = new AtomicInteger();
    private File folder;
    private int broker;

    /** Made by the broker. */
    public LocalTieredStorage() {
        history.listenTo(this);
    }

    /** The plugin is not compiled with this module: it is on the class path. */
    private static RemoteStorageManager plugin() {
        try {
            return (RemoteStorageManager) Class.forName(PLUGIN).getConstructor().newInstance();
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException("the plugin is not on the class path", failure);
        }
    }

    /** Segments that the plugin has copied, for all brokers of this process. */
    public static long copies() {
        return COPIES.sum();
    }

    @Override
    public void configure(Map<String, ?> configs) {
        broker = (Integer) configs.get(BROKER_ID);
        File parent = new File((String) configs.get(STORAGE_DIR_CONFIG));
        folder = new File(parent, FOLDER);
        folder.mkdirs();
        Map<String, Object> settings = new HashMap<>();
        settings.put(BROKER_ID, broker);
        for (String property : System.getProperties().stringPropertyNames()) {
            if (property.startsWith(SETTING)) {
                settings.put(property.substring(SETTING.length()), System.getProperty(property));
            }
        }
        settings.put("key.prefix", parent.getName());
        plugin.configure(settings);
    }

    @Override
    public Optional<CustomMetadata> copyLogSegmentData(RemoteLogSegmentMetadata metadata, LogSegmentData data) throws RemoteStorageException {
        Optional<CustomMetadata> custom = plugin.copyLogSegmentData(metadata, data);
        RemoteLogSegmentFileset files = RemoteLogSegmentFileset.openFileset(folder, metadata);
        try {
            files.copy(new ToFiles(), data);
        } catch (IOException failure) {
            throw new RemoteStorageException(failure);
        }
        COPIES.increment();
        tell(event(EventType.COPY_SEGMENT, metadata).withFileset(files));
        return custom;
    }

    @Override
    public InputStream fetchLogSegment(RemoteLogSegmentMetadata metadata, int start) throws RemoteStorageException {
        return fetch(metadata, start, metadata.segmentSizeInBytes(), plugin.fetchLogSegment(metadata, start));
    }

    @Override
    public InputStream fetchLogSegment(RemoteLogSegmentMetadata metadata, int start, int end) throws RemoteStorageException {
        return fetch(metadata, start, end, plugin.fetchLogSegment(metadata, start, end));
    }

    private InputStream fetch(RemoteLogSegmentMetadata metadata, int start, int end, InputStream stream) throws RemoteStorageException {
        RemoteLogSegmentFileset files = RemoteLogSegmentFileset.openFileset(folder, metadata);
        tell(event(EventType.FETCH_SEGMENT, metadata).withStartPosition(start).withEndPosition(end).withFileset(files));
        return compared(files.getFile(RemoteLogSegmentFileType.SEGMENT), start, end >= metadata.segmentSizeInBytes(), stream);
    }

    @Override
    public InputStream fetchIndex(RemoteLogSegmentMetadata metadata, IndexType type) throws RemoteStorageException {
        InputStream stream = plugin.fetchIndex(metadata, type);
        RemoteLogSegmentFileset files = RemoteLogSegmentFileset.openFileset(folder, metadata);
        EventType fetched = switch (type) {
            case OFFSET -> EventType.FETCH_OFFSET_INDEX;
            case TIMESTAMP -> EventType.FETCH_TIME_INDEX;
            case PRODUCER_SNAPSHOT -> EventType.FETCH_PRODUCER_SNAPSHOT;
            case TRANSACTION -> EventType.FETCH_TRANSACTION_INDEX;
            case LEADER_EPOCH -> EventType.FETCH_LEADER_EPOCH_CHECKPOINT;
        };
        RemoteLogSegmentFileType file = switch (type) {
            case OFFSET -> RemoteLogSegmentFileType.OFFSET_INDEX;
            case TIMESTAMP -> RemoteLogSegmentFileType.TIME_INDEX;
            case PRODUCER_SNAPSHOT -> RemoteLogSegmentFileType.PRODUCER_SNAPSHOT;
            case TRANSACTION -> RemoteLogSegmentFileType.TRANSACTION_INDEX;
            case LEADER_EPOCH -> RemoteLogSegmentFileType.LEADER_EPOCH_CHECKPOINT;
        };
        tell(event(fetched, metadata).withFileset(files));
        return compared(files.getFile(file), 0, true, stream);
    }

    @Override
    public void deleteLogSegmentData(RemoteLogSegmentMetadata metadata) throws RemoteStorageException {
        plugin.deleteLogSegmentData(metadata);
        RemoteLogSegmentFileset files = RemoteLogSegmentFileset.openFileset(folder, metadata);
        if (!files.delete()) {
            throw new RemoteStorageException("the files of " + metadata.remoteLogSegmentId() + " cannot be deleted");
        }
        tell(event(EventType.DELETE_SEGMENT, metadata).withFileset(files));
    }

    @Override
    public void close() throws IOException {
        plugin.close();
    }

    /** Shows all files to Kafka's tests. */
    public void traverse(LocalTieredStorageTraverser traverser) {
        File[] folders = folder.listFiles(File::isDirectory);
        for (File each : folders == null ? new File[0] : folders) {
            RemoteTopicPartitionDirectory.openExistingTopicPartitionDirectory(each.getName(), folder).traverse(traverser);
        }
    }

    /** Tells Kafka's tests of events from now on. */
    public void addListener(LocalTieredStorageListener listener) {
        listeners.add(listener);
    }

    /** Deletes all files; objects stay, below a prefix that no other test uses. */
    public void clear() {
        File[] folders = folder.listFiles(File::isDirectory);
        for (File each : folders == null ? new File[0] : folders) {
            RemoteTopicPartitionDirectory.openExistingTopicPartitionDirectory(each.getName(), folder).delete();
        }
    }

    /** What happened, for Kafka's tests. */
    public LocalTieredStorageHistory getHistory() {
        return history;
    }

    /** The broker whose storage this is. */
    public int brokerId() {
        return broker;
    }

    String getStorageDirectoryRoot() {
        return folder.getAbsolutePath();
    }

    private LocalTieredStorageEvent.Builder event(EventType type, RemoteLogSegmentMetadata metadata) {
        return LocalTieredStorageEvent.newBuilder(broker, type, events.incrementAndGet(), metadata.remoteLogSegmentId()).withMetadata(metadata);
    }

    private void tell(LocalTieredStorageEvent.Builder event) {
        listeners.onStorageEvent(event.build());
    }

    /** Copies to files. */
    private static final class ToFiles implements Transferer {
        @Override
        public void transfer(File from, File to) throws IOException {
            if (from.exists()) {
                Files.copy(from.toPath(), to.toPath());
            }
        }

        @Override
        public void transfer(ByteBuffer from, File to) throws IOException {
            try (OutputStream out = Files.newOutputStream(to.toPath())) {
                Channels.newChannel(out).write(from.duplicate());
            }
        }
    }

    /** A stream of the plugin whose bytes must be those of a file. */
    private static InputStream compared(File file, int start, boolean toEnd, InputStream stream) throws RemoteStorageException {
        InputStream expected;
        try {
            expected = Files.newInputStream(file.toPath());
            expected.skipNBytes(start);
        } catch (IOException failure) {
            throw new RemoteStorageException("the plugin has what the files do not: " + file, failure);
        }
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int count = stream.read(bytes, offset, length);
                byte[] same = expected.readNBytes(count < 0 ? 1 : count);
                boolean different = count < 0 ? toEnd && same.length > 0 : !Arrays.equals(same, 0, same.length, bytes, offset, offset + count);
                if (different) {
                    System.err.println("DIFFERENT: " + file);
                    throw new IOException("the plugin returned other bytes than " + file);
                }
                return count;
            }

            @Override
            public void close() throws IOException {
                expected.close();
                stream.close();
            }
        };
    }
}
