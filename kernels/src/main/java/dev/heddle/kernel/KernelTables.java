package dev.heddle.kernel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tables that are in memory already, such as those that a file of measurements was read into.
 *
 * @param all tables by name
 */
public record KernelTables(Map<TableId, KernelTable> all) implements KernelSource {
  /** Copies the map. */
  public KernelTables {
    all = ImmutableMap.copyOf(all);
  }

  /** Tables by their own names; of two of one name the first counts. */
  public static KernelTables of(List<KernelTable> tables) {
    Map<TableId, KernelTable> all = new LinkedHashMap<>();
    tables.forEach(table -> all.putIfAbsent(table.id(), table));
    return new KernelTables(all);
  }

  @Override
  public List<TableId> tables() {
    return ImmutableList.copyOf(all.keySet());
  }

  @Override
  public KernelTable open(TableId id) {
    KernelTable table = all.get(id);
    if (table == null) {
      throw new IllegalArgumentException("there is no table " + id);
    }
    return table;
  }
}
