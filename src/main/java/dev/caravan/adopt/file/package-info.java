/** The YAML files that define captures and intakes: their fields, and problems with file and line. */
package dev.caravan.adopt.file;
