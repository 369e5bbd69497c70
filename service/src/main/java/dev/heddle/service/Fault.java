package dev.heddle.service;

/**
 * A fault of a request or a task.
 *
 * @param path field of the scenario, option, or field of the request; empty for the whole
 * @param line of the text, from 1; 0 where it is not known
 * @param message as the command line prints it
 */
record Fault(String path, int line, String message) {}
