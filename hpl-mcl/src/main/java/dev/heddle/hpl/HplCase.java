package dev.heddle.hpl;

/**
 * One run among the combinations of an HPL.dat.
 *
 * @param problem to solve
 * @param variant of the algorithm
 */
public record HplCase(HplProblem problem, HplVariant variant) {}
