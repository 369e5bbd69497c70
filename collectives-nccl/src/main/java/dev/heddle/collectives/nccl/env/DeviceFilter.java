package dev.heddle.collectives.nccl.env;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * Filter of RDMA devices as in NCCL_IB_HCA: devices whose names begin with an entry; with {@code =} those whose names
 * equal an entry, with {@code ^} all others; {@code name:port} selects one port.
 *
 * @param exclude whether the listed devices are left out
 * @param exact whether entries are full names
 * @param entries a name, or a name and port with a colon
 */
public record DeviceFilter(boolean exclude, boolean exact, List<String> entries) {
  /** Copies the list. */
  public DeviceFilter {
    entries = ImmutableList.copyOf(entries);
  }

  /** Reads a list of devices. */
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

  /** Whether the filter admits a port of a device. */
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
