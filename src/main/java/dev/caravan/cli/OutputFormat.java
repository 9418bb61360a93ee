package dev.caravan.cli;

/** The output format: text for people (a table or sentences), or JSON for programs. */
enum OutputFormat {
    table,
    json
}
