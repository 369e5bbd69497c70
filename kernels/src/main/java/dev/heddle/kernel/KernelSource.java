package dev.heddle.kernel;

import java.util.List;

/**
 * Tables of measured kernels from one place.
 *
 * <ol>
 *   <li>SOURCE-1: {@link #tables} MUST be quick and MUST give the same names in the same order each time.
 *   <li>SOURCE-2: {@link #open} MUST give the table of exactly that name; it MAY be called by any thread, and reads the
 *       table anew each time, since {@link KernelLibrary} keeps opened tables.
 *   <li>SOURCE-3: every table MUST say where it is from and under which licence.
 * </ol>
 */
public interface KernelSource {
  /** Names of its tables. */
  List<TableId> tables();

  /**
   * Reads a table.
   *
   * @param id one of {@link #tables}
   * @throws dev.heddle.spi.InvalidSettingException when the table is damaged
   */
  KernelTable open(TableId id);
}
