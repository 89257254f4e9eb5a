package forebay.tiered;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

/**
 * Credentials from a file in the format of AWS's tools. It is read again when it changes, so keys can be replaced while the broker
 * runs. A file that cannot be used, because it is being written or is gone, keeps the credentials from before.
 */
final class CredentialsFile implements AwsCredentialsProvider {
    private static final Logger LOG = LoggerFactory.getLogger(CredentialsFile.class);

    private final Path path;
    private final String profile;
    private FileTime modified;
    private long size;
    private Object file;
    private AwsCredentials credentials;
    private long generation;

    CredentialsFile(Path path, String profile) throws IOException {
        this.path = path;
        this.profile = profile;
        this.credentials = read();
        noteState();
    }

    @Override
    public synchronized AwsCredentials resolveCredentials() {
        try {
            BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
            if (!now.lastModifiedTime().equals(modified) || now.size() != size || !Objects.equals(now.fileKey(), file)) {
                refresh();
            }
        } catch (IOException gone) {
            LOG.warn("{} cannot be read; the credentials from before are used: {}", path, gone.toString());
        }
        return credentials;
    }

    /** A number that changes with the credentials. */
    synchronized long generation() {
        return generation;
    }

    /** Reads the file again, whatever its time says. */
    synchronized void refresh() {
        AwsCredentials before = credentials;
        try {
            noteState();
            credentials = read();
        } catch (IOException unusable) {
            LOG.warn("the credentials from before are used: {}", unusable.getMessage());
            modified = null;
        }
        if (!credentials.equals(before)) {
            generation++;
            LOG.info("{} has other credentials now", path);
        }
    }

    private void noteState() throws IOException {
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
        modified = now.lastModifiedTime();
        size = now.size();
        file = now.fileKey();
    }

    private AwsCredentials read() throws IOException {
        String section = null;
        String id = null;
        String secret = null;
        String token = null;
        for (String line : Files.readAllLines(path)) {
            String text = line.strip();
            int equals = text.indexOf('=');
            if (text.startsWith("[") && text.endsWith("]")) {
                section = text.substring(1, text.length() - 1).strip();
            } else if (equals > 0 && profile.equals(section) && !text.startsWith("#") && !text.startsWith(";")) {
                String value = text.substring(equals + 1).strip();
                switch (text.substring(0, equals).strip()) {
                    case "aws_access_key_id" -> id = value;
                    case "aws_secret_access_key" -> secret = value;
                    case "aws_session_token" -> token = value;
                    default -> { }
                }
            }
        }
        if (id == null || id.isEmpty() || secret == null || secret.isEmpty()) {
            throw new IOException(path + " has no aws_access_key_id and aws_secret_access_key in the section [" + profile + "]");
        }
        AwsCredentials plain = AwsBasicCredentials.create(id, secret);
        String session = token;
        return Optional.ofNullable(session)
                .<AwsCredentials>map(each -> AwsSessionCredentials.create(plain.accessKeyId(), plain.secretAccessKey(), each))
                .orElse(plain);
    }
}
