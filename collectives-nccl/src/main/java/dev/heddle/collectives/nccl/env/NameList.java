package dev.heddle.collectives.nccl.env;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collective.CollectiveOp;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The names of algorithms or protocols that NCCL_ALGO or NCCL_PROTO admit: a list such as {@code ring,tree}, all names
 * but those of a list as in {@code ^nvls}, or a list for each function as in {@code allreduce:tree;broadcast:ring}.
 */
public final class NameList {
  private static final List<CollectiveOp> FUNCTIONS = List.of(
      CollectiveOp.BROADCAST, CollectiveOp.REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER,
      CollectiveOp.ALL_REDUCE);

  private final Map<CollectiveOp, Set<String>> allowed;

  private NameList(Map<CollectiveOp, Set<String>> allowed) {
    this.allowed = ImmutableMap.copyOf(allowed);
  }

  /**
   * Reads a list of names.
   *
   * @param names all valid names
   */
  static NameList parse(String text, List<String> names) {
    Map<CollectiveOp, Set<String>> allowed = new LinkedHashMap<>();
    for (String part : text.split(";", -1)) {
      int colon = part.indexOf(':');
      Set<String> set = names(part.substring(colon + 1), names);
      if (colon >= 0) {
        allowed.put(function(part.substring(0, colon)), set);
      } else {
        FUNCTIONS.forEach(each -> allowed.putIfAbsent(each, set));
      }
    }
    return new NameList(allowed);
  }

  /** Whether the list applies to an operation. */
  public boolean concerns(CollectiveOp op) {
    return allowed.containsKey(op);
  }

  /** Whether an operation may use a name; true for an operation to which the list does not apply. */
  public boolean allows(CollectiveOp op, String name) {
    Set<String> set = allowed.get(op);
    return set == null || set.contains(name);
  }

  private static CollectiveOp function(String text) {
    List<String> titles = FUNCTIONS.stream().map(NameList::title).toList();
    return FUNCTIONS.get(titles.indexOf(Variable.oneOf(text.strip(), titles)));
  }

  private static String title(CollectiveOp op) {
    return op.name().toLowerCase(Locale.ROOT).replace("_", "");
  }

  private static Set<String> names(String text, List<String> names) {
    String list = text.strip();
    boolean others = list.startsWith("^");
    Set<String> listed = new LinkedHashSet<>();
    for (String name : (others ? list.substring(1) : list).split(",", -1)) {
      listed.add(Variable.oneOf(name.strip(), names));
    }
    if (!others) {
      return listed;
    }
    Set<String> left = new LinkedHashSet<>(names);
    left.removeAll(listed);
    if (left.isEmpty()) {
      throw new IllegalArgumentException("leaves nothing");
    }
    return left;
  }
}
