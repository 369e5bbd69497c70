package dev.heddle.hpl;

/**
 * One run of those that an HPL.dat asks for.
 *
 * @param problem to solve
 * @param variant of the algorithm
 */
public record HplCase(HplProblem problem, HplVariant variant) {}
