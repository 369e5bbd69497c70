package dev.heddle.kernel;

/**
 * Errors of a table's rows, each predicted from the others.
 *
 * @param mean relative error
 * @param upper tenth of the errors is larger
 * @param spread half-width of an interval of 90 % in units of the regression's own standard deviation
 */
public record TableError(double mean, double upper, double spread) {}
