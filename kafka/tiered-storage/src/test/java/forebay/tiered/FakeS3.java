package forebay.tiered;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * An S3 server in memory, with one bucket. A test can take over any request, to answer it wrongly or not at all. It also plays Forebay's side of copies by
 * reference, if a token is given to a file.
 */
final class FakeS3 implements AutoCloseable {
    static final String BUCKET = "tier";

    /** What a request was, as far as tests look at it. */
    record Request(String operation, String key, String range, String accessKey, Map<String, String> headers, int bodyBytes) {}

    /** An object. */
    record Stored(byte[] bytes, Map<String, String> metadata) {}

    /** Answers a request instead of the server. Returns false to let the server do it. */
    interface Fault {
        boolean answer(Request request, HttpExchange exchange) throws IOException, InterruptedException;
    }

    private record MultipartUpload(String key, Map<String, String> metadata, TreeMap<Integer, byte[]> parts, Instant begun) {}

    final ConcurrentSkipListMap<String, Stored> objects = new ConcurrentSkipListMap<>();
    final Map<String, Path> tokens = new ConcurrentHashMap<>();
    final List<Request> requests = new CopyOnWriteArrayList<>();
    final AtomicInteger changes = new AtomicInteger();
    volatile Fault fault = (request, exchange) -> false;
    /** Refuses other access keys. */
    volatile String accessKey;
    private final Map<String, MultipartUpload> uploads = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    FakeS3() throws IOException {
        this(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    }

    /** On a server that listens, and does not serve yet. */
    FakeS3(HttpServer server) {
        this.server = server;
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try {
                handle(exchange);
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
            } finally {
                exchange.close();
            }
        });
        server.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    int uploadsOpen() {
        return uploads.size();
    }

    void addUpload(String key, Instant begun) {
        uploads.put("upload-" + ids.incrementAndGet(), new MultipartUpload(key, Map.of(), new TreeMap<>(), begun));
    }

    List<Request> requests(String operation) {
        return requests.stream().filter(request -> request.operation().equals(operation)).toList();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException, InterruptedException {
        String path = exchange.getRequestURI().getPath().substring(1);
        String key = path.contains("/") ? path.substring(path.indexOf('/') + 1) : "";
        Map<String, String> query = query(exchange);
        Map<String, String> headers = new TreeMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name.toLowerCase(java.util.Locale.ROOT), values.get(0)));
        String operation = operation(exchange.getRequestMethod(), key, query, headers);
        Matcher credential = Pattern.compile("Credential=([^/]+)/").matcher(headers.getOrDefault("authorization", ""));
        String access = credential.find() ? credential.group(1) : "";
        Request early = new Request(operation, key, headers.get("range"), access, headers, -1);
        if (fault.answer(early, exchange)) {
            requests.add(early);
            return;
        }
        byte[] body = decoded(exchange.getRequestBody().readAllBytes(), headers);
        requests.add(new Request(operation, key, headers.get("range"), access, headers, body.length));
        if (accessKey != null && !accessKey.equals(access)) {
            error(exchange, 403, "InvalidAccessKeyId");
            return;
        }
        String sum = headers.get("x-amz-checksum-crc32c");
        if (sum != null && !sum.equals(checksum(body))) {
            error(exchange, 400, "BadDigest");
            return;
        }
        switch (operation) {
            case "ListObjects" -> list(exchange, query);
            case "ListUploads" -> listUploads(exchange);
            case "DeleteObjects" -> deleteObjects(exchange, new String(body, StandardCharsets.UTF_8));
            case "CopyObject" -> copy(exchange, key, headers);
            case "PutObject" -> {
                objects.put(key, new Stored(body, metadata(headers)));
                send(exchange, 200, "", Map.of("ETag", "\"1\""));
            }
            case "CreateUpload" -> {
                String id = "upload-" + ids.incrementAndGet();
                uploads.put(id, new MultipartUpload(key, metadata(headers), new TreeMap<>(), Instant.now()));
                send(exchange, 200, "<InitiateMultipartUploadResult><UploadId>" + id + "</UploadId></InitiateMultipartUploadResult>", Map.of());
            }
            case "UploadPart" -> {
                MultipartUpload upload = uploads.get(query.get("uploadId"));
                if (upload == null) {
                    error(exchange, 404, "NoSuchUpload");
                } else {
                    upload.parts().put(Integer.parseInt(query.get("partNumber")), body);
                    send(exchange, 200, "", Map.of("ETag", "\"part\""));
                }
            }
            case "CompleteUpload" -> complete(exchange, query.get("uploadId"));
            case "AbortUpload" -> {
                uploads.remove(query.get("uploadId"));
                send(exchange, 204, null, Map.of());
            }
            case "DeleteObject" -> {
                objects.remove(key);
                send(exchange, 204, null, Map.of());
            }
            case "GetObject" -> get(exchange, key, headers.get("range"));
            default -> error(exchange, 501, "NotImplemented");
        }
    }

    private static String operation(String method, String key, Map<String, String> query, Map<String, String> headers) {
        if (key.isEmpty()) {
            return query.containsKey("delete") ? "DeleteObjects" : query.containsKey("uploads") ? "ListUploads" : "ListObjects";
        }
        return switch (method) {
            case "GET" -> "GetObject";
            case "PUT" -> headers.containsKey("x-amz-copy-source") ? "CopyObject" : query.containsKey("partNumber") ? "UploadPart" : "PutObject";
            case "POST" -> query.containsKey("uploads") ? "CreateUpload" : "CompleteUpload";
            case "DELETE" -> query.containsKey("uploadId") ? "AbortUpload" : "DeleteObject";
            default -> method;
        };
    }

    private void list(HttpExchange exchange, Map<String, String> query) throws IOException {
        StringBuilder xml = new StringBuilder("<ListBucketResult><Name>" + BUCKET + "</Name><IsTruncated>false</IsTruncated>");
        int left = Integer.parseInt(query.getOrDefault("max-keys", "1000"));
        for (Map.Entry<String, Stored> each : objects.entrySet()) {
            if (each.getKey().startsWith(query.getOrDefault("prefix", "")) && left-- > 0) {
                xml.append("<Contents><Key>").append(each.getKey()).append("</Key><Size>").append(each.getValue().bytes().length).append("</Size><LastModified>")
                        .append(Instant.now()).append("</LastModified></Contents>");
            }
        }
        send(exchange, 200, xml + "</ListBucketResult>", Map.of());
    }

    private void listUploads(HttpExchange exchange) throws IOException {
        StringBuilder xml = new StringBuilder("<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>");
        uploads.forEach((id, upload) -> xml.append("<Upload><Key>").append(upload.key()).append("</Key><UploadId>").append(id)
                .append("</UploadId><Initiated>").append(upload.begun()).append("</Initiated></Upload>"));
        send(exchange, 200, xml + "</ListMultipartUploadsResult>", Map.of());
    }

    private void deleteObjects(HttpExchange exchange, String body) throws IOException {
        Matcher keys = Pattern.compile("<Key>([^<]*)</Key>").matcher(body);
        StringBuilder deleted = new StringBuilder();
        while (keys.find()) {
            objects.remove(keys.group(1));
            deleted.append("<Deleted><Key>").append(keys.group(1)).append("</Key></Deleted>");
        }
        send(exchange, 200, "<DeleteResult>" + deleted + "</DeleteResult>", Map.of());
    }

    private void complete(HttpExchange exchange, String id) throws IOException {
        MultipartUpload upload = uploads.remove(id);
        if (upload == null) {
            error(exchange, 404, "NoSuchUpload");
            return;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        upload.parts().values().forEach(bytes::writeBytes);
        objects.put(upload.key(), new Stored(bytes.toByteArray(), upload.metadata()));
        send(exchange, 200, "<CompleteMultipartUploadResult><ETag>\"1\"</ETag></CompleteMultipartUploadResult>", Map.of());
    }

    /** Forebay's side of a copy by reference. */
    private void copy(HttpExchange exchange, String key, Map<String, String> headers) throws IOException {
        String source = headers.get("x-amz-copy-source");
        if (tokens.isEmpty() || !source.startsWith("forebay--source/")) {
            error(exchange, 404, "NoSuchBucket");
            return;
        }
        String signed = headers.get("authorization").replaceAll(".*SignedHeaders=([^,]*),.*", "$1");
        String size = headers.get("x-forebay-size");
        String records = headers.get("x-forebay-records");
        if (!signed.contains("x-forebay-size") || records != null && !signed.contains("x-forebay-records")) {
            error(exchange, 403, "AccessDenied");
            return;
        }
        Path file = tokens.get(source.substring(source.indexOf('/') + 1));
        if (file == null || !Files.exists(file)) {
            error(exchange, 404, "NoSuchKey");
            return;
        }
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length != Integer.parseInt(size) || changes.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            error(exchange, 409, "OperationAborted");
            return;
        }
        if (records != null) {
            RecordWalk walk = new RecordWalk(Long.parseLong(records.split("-")[0]), Long.parseLong(records.split("-")[1]));
            walk.update(bytes, 0, bytes.length);
            if (walk.finish() != null) {
                error(exchange, 412, "PreconditionFailed");
                return;
            }
        }
        objects.put(key, new Stored(bytes, metadata(headers)));
        send(exchange, 200, "<CopyObjectResult><ETag>\"1\"</ETag><ChecksumCRC64NVME>AAAAAAAAAAE=</ChecksumCRC64NVME></CopyObjectResult>", Map.of());
    }

    void get(HttpExchange exchange, String key, String range) throws IOException {
        Stored stored = objects.get(key);
        if (stored == null) {
            error(exchange, 404, "NoSuchKey");
            return;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        stored.metadata().forEach((name, value) -> headers.put("x-amz-meta-" + name, value));
        int first = 0;
        int end = stored.bytes().length;
        if (range != null) {
            String[] ends = range.substring("bytes=".length()).split("-", -1);
            first = Integer.parseInt(ends[0]);
            end = ends[1].isEmpty() ? end : Math.min(end, Integer.parseInt(ends[1]) + 1);
            if (first >= stored.bytes().length) {
                error(exchange, 416, "InvalidRange");
                return;
            }
            headers.put("Content-Range", "bytes " + first + "-" + (end - 1) + "/" + stored.bytes().length);
        }
        headers.forEach(exchange.getResponseHeaders()::set);
        exchange.sendResponseHeaders(range == null ? 200 : 206, end == first ? -1 : end - first);
        if (end > first) {
            exchange.getResponseBody().write(stored.bytes(), first, end - first);
        }
    }

    private static Map<String, String> metadata(Map<String, String> headers) {
        Map<String, String> metadata = new LinkedHashMap<>();
        headers.forEach((name, value) -> {
            if (name.startsWith("x-amz-meta-")) {
                metadata.put(name.substring("x-amz-meta-".length()), value);
            }
        });
        return metadata;
    }

    static void error(HttpExchange exchange, int status, String code) throws IOException {
        send(exchange, status, "<Error><Code>" + code + "</Code><Message>a test</Message></Error>", Map.of());
    }

    static void send(HttpExchange exchange, int status, String body, Map<String, String> headers) throws IOException {
        headers.forEach(exchange.getResponseHeaders()::set);
        byte[] bytes = body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        if (bytes.length > 0) {
            exchange.getResponseBody().write(bytes);
        }
    }

    private static Map<String, String> query(HttpExchange exchange) {
        Map<String, String> query = new LinkedHashMap<>();
        String raw = exchange.getRequestURI().getRawQuery();
        for (String pair : raw == null ? List.<String>of() : Arrays.asList(raw.split("&"))) {
            String[] sides = pair.split("=", 2);
            query.put(sides[0], sides.length == 1 ? "" : URLDecoder.decode(sides[1], StandardCharsets.UTF_8));
        }
        return query;
    }

    /** Without the framing of aws-chunked. */
    private static byte[] decoded(byte[] body, Map<String, String> headers) throws IOException {
        if (!headers.containsKey("x-amz-decoded-content-length")) {
            return body;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        InputStream in = new java.io.ByteArrayInputStream(body);
        while (true) {
            StringBuilder line = new StringBuilder();
            for (int next = in.read(); next != '\n' && next >= 0; next = in.read()) {
                line.append((char) next);
            }
            int size = Integer.parseInt(line.toString().split("[;\r]")[0].trim(), 16);
            if (size == 0) {
                return out.toByteArray();
            }
            out.write(in.readNBytes(size));
            in.readNBytes(2);
        }
    }

    private static String checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return Base64.getEncoder().encodeToString(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
    }

    /**
     * Names of the threads of this process that belong to a plugin and are alive after a moment. An executor has ended
     * when its threads have nothing more to do, and they end right after that.
     */
    static List<String> pluginThreads(String name) throws InterruptedException {
        List<String> names = new ArrayList<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(name) || thread.getName().startsWith("sdk-") || thread.getName().startsWith("idle-connection")) {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
                if (thread.isAlive()) {
                    names.add(thread.getName());
                }
            }
        }
        return names;
    }
}
