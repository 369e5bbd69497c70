package dev.heddle.verification;

import dev.heddle.kernel.CsvRows;
import java.util.List;

/**
 * A machine of the tables of exchanges.
 *
 * @param system as the tables call it
 * @param gpu id of its accelerators
 * @param ranks of a node
 * @param scaleUp rate of an accelerator's NVLink in B/s, one way
 * @param network rate of an accelerator's NIC in B/s, one way
 */
record ExchangeMachine(String system, String gpu, int ranks, double scaleUp, double network) {
  private static final double GIGA = 1e9;

  /** Reads a file of machines, in GB/s. */
  static List<ExchangeMachine> read(String file, String text) {
    return CsvRows.parse(file, text).require(List.of("system", "gpu", "ranks", "nvlink", "nic")).rows().stream()
        .map(row -> new ExchangeMachine(row.cell("system"), row.cell("gpu"), (int) row.size("ranks", 1),
            GIGA * row.positive("nvlink"), GIGA * row.positive("nic")))
        .toList();
  }
}
