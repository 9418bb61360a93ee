package dev.caravan.base.text;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** The reason why a file or folder could not be read, in words: the message of an exception of the file system may be only a path. */
public final class FileReason {
    private FileReason() {}

    public static String of(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "it does not exist";
        }
        if (failure instanceof AccessDeniedException) {
            return "this user cannot read it";
        }
        if (failure instanceof CharacterCodingException) {
            return "it is not text in UTF-8";
        }
        return failure instanceof FileSystemException file && file.getReason() != null
                ? file.getReason()
                : String.valueOf(failure.getMessage());
    }
}
