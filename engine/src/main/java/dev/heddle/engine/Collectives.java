package dev.heddle.engine;

import dev.heddle.workload.Operation;

/** Execution of the collectives of programs. */
public interface Collectives {
  /**
   * A rank's stream has come to a collective. The stream goes on when the rank's part is done:
   * {@link ProgramRunner#resume}, or the end of a program that was {@linkplain ProgramRunner#spawn spawned} for it.
   *
   * @param runner whose stream it is
   * @param slot of the stream
   * @param rank of the stream
   * @param operation the collective; valid during the call only
   * @return whether the rank's part is done already
   */
  boolean arrive(ProgramRunner runner, int slot, int rank, Operation operation);
}
