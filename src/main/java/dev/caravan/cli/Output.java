package dev.caravan.cli;

/** For people, as a table or in sentences, or for programs. */
enum Output {
    table,
    json
}
