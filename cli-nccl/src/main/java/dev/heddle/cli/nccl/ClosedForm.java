package dev.heddle.cli.nccl;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.rccl.RcclRings;
import dev.heddle.collectives.nccl.timing.CallTime;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.NcclTiming;
import dev.heddle.collectives.nccl.timing.RankLayout;
import dev.heddle.collectives.nccl.timing.RcclTiming;
import dev.heddle.spi.InvalidSettingException;

/** The closed form of a library's calls on a machine: NCCL's, or RCCL's on GPUs of AMD. */
interface ClosedForm {
  /** The layout of the ranks. */
  RankLayout layout();

  /** The time of a call. */
  CallTime time(CollectiveOp op, long bytes, boolean inPlace);

  /**
   * The time in which every rank sends a message to the rank at a distance.
   *
   * @throws InvalidSettingException when the library's messages are not modelled
   */
  CallTime exchange(int distance, long bytes);

  /** Whether RCCL serves a machine, not NCCL. */
  static boolean ofAmd(Machine machine) {
    return RcclRings.serves(machine.cluster());
  }

  /** The closed form of NCCL. */
  static ClosedForm of(CommunicatorTiming communicator) {
    return new ClosedForm() {
      @Override
      public RankLayout layout() {
        return communicator.layout();
      }

      @Override
      public CallTime time(CollectiveOp op, long bytes, boolean inPlace) {
        return communicator.time(op, bytes, inPlace);
      }

      @Override
      public CallTime exchange(int distance, long bytes) {
        return communicator.exchange(distance, bytes);
      }
    };
  }

  /** The closed form of RCCL. */
  static ClosedForm of(RcclTiming communicator, MachineTiming machine) {
    NcclTiming timing = communicator.on(machine);
    return new ClosedForm() {
      @Override
      public RankLayout layout() {
        return communicator.layout();
      }

      @Override
      public CallTime time(CollectiveOp op, long bytes, boolean inPlace) {
        if (!CommunicatorTiming.tuned(op)) {
          throw new InvalidSettingException("", op.key() + " consists of send and receive, whose closed form is not"
              + " modelled for RCCL; write --fidelity flow for times at the rate of the links, or test all_reduce,"
              + " all_gather, reduce_scatter, broadcast or reduce");
        }
        return timing.collective(op, bytes, communicator.execution(op, bytes), inPlace);
      }

      @Override
      public CallTime exchange(int distance, long bytes) {
        throw new InvalidSettingException("", "messages between two GPUs are not modelled for RCCL");
      }
    };
  }
}
