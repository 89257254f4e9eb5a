package forebay.objects;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/** {@code objects upload}. */
@Command(
        name = "upload",
        description = "Puts files as objects, in parts, in a new bucket. "
                + "The key is read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        sortOptions = false)
final class UploadCommand implements Callable<Integer> {
    private static final int BUFFER = 1 << 20;

    @Option(names = "--endpoint", required = true, paramLabel = "URL", description = "the object store's address")
    URI endpoint;

    @Option(names = "--region", defaultValue = "us-east-1", description = "its region (default: us-east-1)")
    String region;

    @Option(names = "--bucket", required = true, description = "the bucket to make")
    String bucket;

    @Option(names = "--part-mib", required = true, paramLabel = "COUNT", description = "the size of a part, in MiB")
    int partMib;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "the files; an object has the name of its file")
    List<Path> files;

    @Override
    public Integer call() throws IOException {
        Report report = new Report(System.out);
        long bytes = 0;
        try (Endpoint to = new Endpoint(endpoint, region, EnvironmentVariableCredentialsProvider.create())) {
            to.client().createBucket(request -> request.bucket(bucket));
            for (Path file : files) {
                report.progress("%s in parts of %d MiB".formatted(file.getFileName(), partMib));
                bytes += upload(to.client(), file);
            }
        }
        report.summary(Map.of("bytes", bytes));
        return Main.EXIT_OK;
    }

    private long upload(S3Client client, Path file) throws IOException {
        String key = file.getFileName().toString();
        long length = Files.size(file);
        String id = client.createMultipartUpload(request -> request.bucket(bucket).key(key)).uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (Part part : parts(length, (long) partMib * Sizes.MIB)) {
            RequestBody body = RequestBody.fromContentProvider(() -> open(file, part), part.length(), Store.BINARY);
            String etag = client.uploadPart(
                    request -> request.bucket(bucket).key(key).uploadId(id).partNumber(part.number()), body).eTag();
            parts.add(CompletedPart.builder().partNumber(part.number()).eTag(etag).build());
        }
        client.completeMultipartUpload(request ->
                request.bucket(bucket).key(key).uploadId(id).multipartUpload(upload -> upload.parts(parts)));
        return length;
    }

    /** A part of a file. */
    record Part(int number, long offset, long length) {}

    /** The parts of a file; the last one may be shorter. */
    static List<Part> parts(long length, long partBytes) {
        List<Part> parts = new ArrayList<>();
        for (long offset = 0; offset < length || parts.isEmpty(); offset += partBytes) {
            parts.add(new Part(parts.size() + 1, offset, Math.min(partBytes, length - offset)));
        }
        return parts;
    }

    /** The SDK reads as many bytes as the part has. */
    private static InputStream open(Path file, Part part) {
        try {
            FileChannel channel = FileChannel.open(file);
            channel.position(part.offset());
            return new BufferedInputStream(Channels.newInputStream(channel), BUFFER);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
