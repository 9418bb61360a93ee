package dev.caravan.cli;

import java.util.concurrent.Callable;

/**
 * A command that another jar on the class path provides: a class with picocli annotations and a public constructor without
 * arguments, listed in {@code META-INF/services}.
 */
public interface AddedCommand extends Callable<Integer> {}
