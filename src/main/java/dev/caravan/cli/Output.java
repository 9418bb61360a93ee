package dev.caravan.cli;

/** For people or for programs. */
enum Output {
    text,
    json
}
