package dev.heddle.kernel;

/**
 * Where a table is from.
 *
 * @param source who measured it, and the commit or publication
 * @param licence under which it may be passed on
 * @param software that ran the kernels, with its version
 * @param changes made to it here
 */
public record Provenance(String source, String licence, String software, String changes) {}
