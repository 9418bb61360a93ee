package dev.caravan.console.identity;

/** A sign-in that did not succeed. The text is for the person and for the log; it contains no secret and no claim. */
class SignInFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SignInFailure(String text) {
        super(text, null, false, false);
    }
}
