package forebay.tiered;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** A segment, held open. Kafka may rename or delete the file meanwhile; the bytes stay. */
final class SegmentFile implements AutoCloseable {
    /** The kernel calls it {@code user.forebay.source}; Java adds the first part. */
    private static final String SOURCE = "forebay.source";
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_-]{1,200}");

    private final Path path;
    private final Object identity;
    private final FileChannel channel;

    SegmentFile(Path path) throws IOException {
        this.path = path;
        this.identity = identity(path);
        this.channel = FileChannel.open(path, StandardOpenOption.READ);
    }

    Path path() {
        return path;
    }

    long size() throws IOException {
        return channel.size();
    }

    /** Reads up to this many bytes at a position; fails where the file ends. */
    int read(byte[] bytes, int offset, int length, long position) throws IOException {
        int count = channel.read(ByteBuffer.wrap(bytes, offset, length), position);
        if (count < 0) {
            throw new IOException(path + " ends at " + channel.size() + ", before position " + (position + length));
        }
        return count;
    }

    /** Makes the NFS client write its dirty pages of this file, and the server commit them. */
    void force() throws IOException {
        channel.force(true);
    }

    /**
     * The name by which the server knows this file, or why there is none. The attribute is read by path, so the path
     * must still lead to this file.
     */
    Source source() {
        Optional<String> token;
        try {
            UserDefinedFileAttributeView view = Files.getFileAttributeView(path, UserDefinedFileAttributeView.class);
            if (view == null) {
                return Source.none(NotByReference.NO_ATTRIBUTE);
            }
            ByteBuffer value = ByteBuffer.allocate(view.size(SOURCE));
            view.read(SOURCE, value);
            token = Optional.of(new String(value.array(), 0, value.position(), StandardCharsets.ISO_8859_1));
        } catch (IOException | UnsupportedOperationException absent) {
            token = Optional.empty();
        }
        try {
            if (identity == null || !identity.equals(identity(path))) {
                return Source.none(NotByReference.OTHER_FILE);
            }
        } catch (IOException gone) {
            return Source.none(NotByReference.OTHER_FILE);
        }
        return token.filter(text -> TOKEN.matcher(text).matches())
                .map(text -> new Source(text, null))
                .orElse(Source.none(NotByReference.NO_ATTRIBUTE));
    }

    /** Device and inode number. */
    private static Object identity(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /**
     * A token, or the reason for none.
     *
     * @param token null if there is a reason
     * @param reason null if there is a token
     */
    record Source(String token, NotByReference reason) {
        static Source none(NotByReference reason) {
            return new Source(null, Objects.requireNonNull(reason));
        }
    }
}
