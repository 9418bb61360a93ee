package dev.caravan.cli;

import java.util.concurrent.Callable;

/**
 * A command that another jar on the class path adds: a class with picocli's annotations and a public constructor without
 * arguments, named in {@code META-INF/services}.
 */
public interface AddedCommand extends Callable<Integer> {}
