package forebay.faults;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class ErrorsTest {
    private boolean isOn = true;
    private final Errors errors = new Errors(() -> isOn);

    @Test
    void eachKindOfRequestMeetsEachErrorAndIsThenSent() {
        List<Class<? extends Error>> kinds = List.of(OutOfMemoryError.class, StackOverflowError.class, NoClassDefFoundError.class);
        for (int round = 0; round < 2; round++) {
            for (Class<? extends Error> kind : kinds) {
                assertThrows(kind, () -> errors.meet("PUT", "/tier/a/0.log", false));
                assertThrows(kind, () -> errors.meet("GET", "/tier/a/0.log", false));
                assertThrows(kind, () -> errors.meet("POST", "/tier", true));
            }
            errors.meet("PUT", "/tier/a/0.log", false);
            errors.meet("GET", "/tier/a/0.log", false);
            errors.meet("POST", "/tier", true);
        }
    }

    @Test
    void nothingIsThrownWhileTheFileDoesNotExist() {
        isOn = false;
        for (int index = 0; index < 8; index++) {
            errors.meet("GET", "/tier/a/0.indexes", false);
        }
    }
}
