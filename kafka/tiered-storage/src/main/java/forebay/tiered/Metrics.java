package forebay.tiered;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counters of one plugin, which JMX shows as {@code forebay.tiered:type=RemoteStorageManager,broker=ID}. */
final class Metrics implements DynamicMBean, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Metrics.class);
    private static final AtomicInteger INSTANCES = new AtomicInteger();

    private record Attributed(String description, LongSupplier value) {}

    private final Map<String, Attributed> attributes = new LinkedHashMap<>();
    private ObjectName name;

    final LongAdder requests = counter("Requests", "Requests sent to the S3 server");
    final LongAdder failedRequests = counter("FailedRequests", "Requests without an answer, or with one that was not wanted; most are repeated");
    final LongAdder copies = counter("Copies", "Segments copied");
    final LongAdder failedCopies = counter("FailedCopies", "Copies that failed; Kafka tries again");
    final LongAdder copiesByReference = counter("CopiesByReference", "Segments copied without moving their bytes");
    final LongAdder bytesByReference = counter("BytesByReference", "Bytes of segments copied without moving them");
    final LongAdder uploadedBytes = counter("UploadedBytes", "Bytes of segments and indexes that were uploaded");
    final LongAdder damagedSegments = counter("DamagedSegments", "Copies of segments with damaged record batches. The log says which");
    final LongAdder fetchedBytes = counter("FetchedBytes", "Bytes read from the S3 server");
    final LongAdder readBytes = counter("ReadBytes", "Bytes of segments and indexes that the broker read");
    final LongAdder readAheadBytes = counter("ReadAheadBytes", "Those of FetchedBytes that were fetched before a reader asked for them");
    final LongAdder sharedBlocks = counter("BlocksShared", "Blocks that a reader found in memory, or on their way to it");
    final LongAdder fetches = counter("Fetches", "Segments and indexes opened for reading");
    final LongAdder failedFetches = counter("FailedFetches", "Opens and reads that failed");
    final LongAdder missingObjects = counter("MissingObjects", "Opens of objects that do not exist");
    final LongAdder deletes = counter("Deletes", "Segments deleted");
    final LongAdder failedDeletes = counter("FailedDeletes", "Deletes that failed; Kafka tries again");
    final LongAdder deleteRequests = counter("DeleteRequests", "Requests that deleted, each for one or more segments");
    final LongAdder abortedUploads = counter("StaleUploadsAborted", "Multipart uploads that a dead copy had left behind");
    final LongAdder errorsCaught = counter("ErrorsCaught", "Errors of the Java runtime, such as OutOfMemoryError, that ended a call");

    private final Map<NotByReference, LongAdder> uploads = new LinkedHashMap<>();

    Metrics() {
        for (NotByReference cause : NotByReference.values()) {
            uploads.put(cause, counter("Uploads" + cause.label(), "Segments uploaded because " + cause.text()));
        }
    }

    private LongAdder counter(String attribute, String description) {
        LongAdder counter = new LongAdder();
        gauge(attribute, description, counter::sum);
        return counter;
    }

    /** Shows a value that is computed when somebody asks. Must be called before {@link #register}. */
    void gauge(String attribute, String description, LongSupplier value) {
        attributes.put(attribute, new Attributed(description, value));
    }

    LongAdder uploads(NotByReference cause) {
        return uploads.get(cause);
    }

    /** Makes the counters visible. A second plugin of one broker in one process gets a number of its own. */
    void register(int brokerId) {
        try {
            ObjectName wanted = new ObjectName("forebay.tiered:type=RemoteStorageManager,broker=" + brokerId);
            if (ManagementFactory.getPlatformMBeanServer().isRegistered(wanted)) {
                wanted = new ObjectName(wanted + ",instance=" + INSTANCES.incrementAndGet());
            }
            ManagementFactory.getPlatformMBeanServer().registerMBean(this, wanted);
            name = wanted;
        } catch (JMException failure) {
            LOG.warn("the metrics are not visible over JMX: {}", failure.toString());
        }
    }

    @Override
    public void close() {
        if (name != null) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            } catch (JMException gone) {
                LOG.debug("the metrics are not registered any more: {}", gone.toString());
            }
            name = null;
        }
    }

    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
        Attributed found = attributes.get(attribute);
        if (found == null) {
            throw new AttributeNotFoundException(attribute);
        }
        return found.value().getAsLong();
    }

    @Override
    public AttributeList getAttributes(String[] names) {
        AttributeList list = new AttributeList();
        for (String each : names) {
            Attributed found = attributes.get(each);
            if (found != null) {
                list.add(new Attribute(each, found.value().getAsLong()));
            }
        }
        return list;
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException(attribute.getName() + " is read-only");
    }

    @Override
    public AttributeList setAttributes(AttributeList list) {
        return new AttributeList();
    }

    @Override
    public Object invoke(String action, Object[] parameters, String[] signature) {
        throw new UnsupportedOperationException(action);
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        MBeanAttributeInfo[] infos = attributes.entrySet().stream()
                .map(entry -> new MBeanAttributeInfo(entry.getKey(), "long", entry.getValue().description(), true, false, false))
                .toArray(MBeanAttributeInfo[]::new);
        return new MBeanInfo(Metrics.class.getName(), "Forebay's plugin for tiered storage", infos, null, null, null);
    }
}
