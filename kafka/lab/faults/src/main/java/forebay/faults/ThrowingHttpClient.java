package forebay.faults;

import java.io.IOException;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;

/** Sends requests, or throws Errors instead. */
final class ThrowingHttpClient implements SdkHttpClient {
    private final SdkHttpClient inner;
    private final Errors errors;

    ThrowingHttpClient(SdkHttpClient inner, Errors errors) {
        this.inner = inner;
        this.errors = errors;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        ExecutableHttpRequest prepared = inner.prepareRequest(request);
        SdkHttpRequest sent = request.httpRequest();
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                errors.meet(sent.method().name(), sent.encodedPath(), !sent.rawQueryParameters().isEmpty());
                return prepared.call();
            }

            @Override
            public void abort() {
                prepared.abort();
            }
        };
    }

    @Override
    public String clientName() {
        return inner.clientName();
    }

    @Override
    public void close() {
        inner.close();
    }
}
