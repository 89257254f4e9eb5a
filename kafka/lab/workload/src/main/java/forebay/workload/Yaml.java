package forebay.workload;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads YAML files. Nothing in them is passed over. */
final class Yaml {
    private static final ObjectMapper MAPPER = YAMLMapper.builder(new YAMLFactory())
            .enable(com.fasterxml.jackson.core.StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .build();

    private Yaml() {}

    /** The file as a {@code type}. */
    static <T> T read(Path file, Class<T> type) throws UsageException {
        try {
            T read = MAPPER.readValue(Files.readString(file), type);
            if (read == null) {
                throw new UsageException(file + ": the file is empty");
            }
            return read;
        } catch (UnrecognizedPropertyException e) {
            throw new UsageException("%s: unknown key %s; known are %s".formatted(file, e.getPropertyName(),
                    new java.util.TreeSet<>(e.getKnownPropertyIds())), e);
        } catch (JsonProcessingException e) {
            throw new UsageException(at(file, e.getLocation()) + ": " + firstLine(e.getOriginalMessage()), e);
        } catch (IOException e) {
            throw new UsageException(file + ": " + reason(e), e);
        }
    }

    private static String at(Path file, JsonLocation location) {
        return location == null || location.getLineNr() < 1 ? file.toString() : file + ", line " + location.getLineNr();
    }

    /** Why a file could not be read. */
    static String reason(Exception failure) {
        if (failure instanceof NoSuchFileException) {
            return "there is no such file";
        }
        return failure.getMessage() == null ? failure.toString() : firstLine(failure.getMessage());
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse(text);
    }
}
