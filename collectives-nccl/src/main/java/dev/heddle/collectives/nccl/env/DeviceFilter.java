package dev.heddle.collectives.nccl.env;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * Which RDMA devices NCCL_IB_HCA leaves: those whose names begin as listed, {@code =} for names in full, {@code ^} for
 * all others, {@code name:port} for one port.
 *
 * @param exclude whether those listed are left out
 * @param exact whether names are given in full
 * @param entries name, or name and port with a colon
 */
public record DeviceFilter(boolean exclude, boolean exact, List<String> entries) {
  /** Copies the list. */
  public DeviceFilter {
    entries = ImmutableList.copyOf(entries);
  }

  /** Reads a list. */
  static DeviceFilter parse(String text) {
    String rest = text;
    boolean exclude = rest.startsWith("^");
    rest = exclude ? rest.substring(1) : rest;
    boolean exact = rest.startsWith("=");
    rest = exact ? rest.substring(1) : rest;
    List<String> entries = List.of(rest.split(",", -1));
    for (String entry : entries) {
      if (!entry.matches("[A-Za-z0-9_.-]+(:[0-9]+)?")) {
        throw new IllegalArgumentException("names no device with '" + entry + "'");
      }
    }
    return new DeviceFilter(exclude, exact, entries);
  }

  /** Whether a port of a device is left. */
  public boolean allows(String name, int port) {
    return exclude != entries.stream().anyMatch(entry -> matches(entry, name, port));
  }

  private boolean matches(String entry, String name, int port) {
    int colon = entry.indexOf(':');
    String device = colon < 0 ? entry : entry.substring(0, colon);
    boolean named = exact ? name.equals(device) : name.startsWith(device);
    return named && (colon < 0 || Integer.parseInt(entry.substring(colon + 1)) == port);
  }
}
