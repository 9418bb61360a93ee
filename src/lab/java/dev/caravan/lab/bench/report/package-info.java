/** The results of a run as text, JSON and Markdown, and the facts about the machine. */
package dev.caravan.lab.bench.report;
