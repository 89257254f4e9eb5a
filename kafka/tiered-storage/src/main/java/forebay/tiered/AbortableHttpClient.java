package forebay.tiered;

import java.io.IOException;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/** Tells the current call how to abort each request. The request of a response whose body is still read can be aborted as well. */
final class AbortableHttpClient implements SdkHttpClient {
    private final SdkHttpClient inner;

    AbortableHttpClient(SdkHttpClient inner) {
        this.inner = inner;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        ExecutableHttpRequest prepared = inner.prepareRequest(request);
        Call call = Call.current();
        if (call == null) {
            return prepared;
        }
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                call.check();
                call.onAbandon(prepared::abort);
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
