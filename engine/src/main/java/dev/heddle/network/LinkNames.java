package dev.heddle.network;

import dev.heddle.fabric.Fabric;
import dev.heddle.spi.NearestMatch;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/** Names of directed links, as {@link Fabric#linkName} has them. */
public final class LinkNames {
  private LinkNames() {}

  /** The links of a fabric by name, in order. */
  public static Map<String, Integer> of(Fabric fabric) {
    Map<String, Integer> links = new LinkedHashMap<>();
    IntStream.range(0, fabric.links()).forEach(link -> links.putIfAbsent(fabric.linkName(link), link));
    return links;
  }

  /** The message on a name that no link has. */
  public static String unknown(String name, Collection<String> names) {
    return unknown(name, name, names);
  }

  /**
   * The message on a pattern that no link matches.
   *
   * @param pattern as written
   * @param name that it is nearest to
   * @param names of links, at least one
   */
  public static String unknown(String pattern, String name, Collection<String> names) {
    return "no link is called '" + pattern + "'" + NearestMatch.of(name, names)
        .map(match -> "; did you mean '" + match + "'?")
        .orElseGet(() -> "; names are such as '" + names.iterator().next() + "'");
  }
}
