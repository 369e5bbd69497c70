package dev.heddle.kernel;

/**
 * How a table's rows are predicted from each other, and how well.
 *
 * @param repeat part of the variance that repeats of one shape have
 * @param stretch of the distances over which rows tell of each other, relative to those of the kind of kernel
 * @param mean relative error
 * @param upper tenth of the errors is larger
 * @param spread half-width of an interval of 90 % in units of the regression's own standard deviation
 */
public record TableError(double repeat, double stretch, double mean, double upper, double spread) {}
