package dev.heddle.cli.nccl;

import dev.heddle.collectives.nccl.measured.CallLog;
import dev.heddle.collectives.nccl.measured.MessageLog;
import dev.heddle.spi.InvalidSettingException;
import java.util.List;
import java.util.Locale;

/** Refusal of logs that contradict each other: times of one call that differ by more than a quarter. */
final class LogAgreement {
  private static final double CONTRADICTION = 1.25;

  private LogAgreement() {}

  /** Refuses logs of the same call on as many ranks whose times differ: a machine that was disturbed, or another. */
  static void requireOfCalls(List<CallLog> logs) {
    for (int one = 0; one < logs.size(); one++) {
      for (int other = one + 1; other < logs.size(); other++) {
        CallLog a = logs.get(one);
        CallLog b = logs.get(other);
        if (a.op() == b.op() && a.place().equals(b.place()) && a.facts().environment().equals(b.facts().environment())
            && a.reduction() == b.reduction()) {
          compare(a, b);
        }
      }
    }
  }

  private static void compare(CallLog a, CallLog b) {
    for (CallLog.Row row : a.rows()) {
      for (CallLog.Row other : b.rows()) {
        if (row.bytes() == other.bytes() && apart(row.micros(), other.micros())) {
          throw new InvalidSettingException("", String.format(Locale.ROOT,
              "%s and %s contradict each other: %s of %d B on %d ranks took %.1f and %.1f us; leave one of them out",
              a.file(), b.file(), a.op().key(), row.bytes(), a.place().map(CallLog.Place::ranks).orElse(0),
              row.micros(), other.micros()));
        }
      }
    }
  }

  /** Refuses logs of the same benchmark of messages whose values differ. */
  static void requireOfMessages(List<MessageLog> logs) {
    for (int one = 0; one < logs.size(); one++) {
      for (int other = one + 1; other < logs.size(); other++) {
        MessageLog a = logs.get(one);
        MessageLog b = logs.get(other);
        if (a.test().equals(b.test()) && apart(a.best(), b.best())) {
          throw new InvalidSettingException("", String.format(Locale.ROOT,
              "%s and %s contradict each other: %s has %.4g and %.4g at its best; leave one of them out", a.file(),
              b.file(), a.test(), a.best(), b.best()));
        }
      }
    }
  }

  private static boolean apart(double a, double b) {
    return a > CONTRADICTION * b || b > CONTRADICTION * a;
  }
}
