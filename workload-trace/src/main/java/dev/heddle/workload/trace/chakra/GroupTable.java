package dev.heddle.workload.trace.chakra;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.google.common.primitives.Ints;
import dev.heddle.collective.Group;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a trace, by name: from a file of communicator groups, an object of names and lists of ranks; from
 * PyTorch's list of process groups in a metadata node; or of the ranks that differ in some of a network's dimensions.
 * No name, and "0", stand for all ranks. Groups are numbered in the order in which they are first used; two names are
 * two groups, even of the same ranks.
 */
final class GroupTable {
  private static final String EVERYONE = "0";

  private final int ranks;
  private final List<Integer> dimensions;
  private final Map<String, Group> named = new LinkedHashMap<>();
  private final Map<String, Integer> numbers = new LinkedHashMap<>();
  private final List<Group> used = new ArrayList<>();

  GroupTable(int ranks, List<Integer> dimensions) {
    this.ranks = ranks;
    this.dimensions = dimensions;
    named.put(EVERYONE, Group.ofFirst(ranks));
  }

  /** The groups, by number. */
  List<Group> groups() {
    return List.copyOf(used);
  }

  private int number(String name, Group group) {
    Integer known = numbers.putIfAbsent(name, used.size());
    if (known == null) {
      used.add(group);
    }
    return known == null ? used.size() - 1 : known;
  }

  /** The number of the group that a collective's node names. */
  int of(ChakraNode node, int rank) {
    String name = node.attribute(ChakraNames.PG_NAME).map(Attribute::text).orElse("");
    if (!name.isEmpty() && !name.equals(EVERYONE)) {
      Group group = named.get(name);
      if (group == null) {
        throw node.fail("names the group '" + shown(name) + "'; known are " + String.join(", ", named.keySet().stream()
            .limit(20).toList()) + "; the setting groups names a file of more");
      }
      return member(node, name, group, rank);
    }
    List<Boolean> involved = node.attribute(ChakraNames.INVOLVED_DIM).map(Attribute::truths).orElse(List.of());
    if (involved.stream().allMatch(each -> each)) {
      return number(EVERYONE, Group.ofFirst(ranks));
    }
    Group group = along(node, involved, rank);
    return member(node, group.toString(), group, rank);
  }

  private int member(ChakraNode node, String name, Group group, int rank) {
    if (!Ints.contains(group.members(), rank)) {
      throw node.fail("does a collective of a group that rank " + rank + " is no member of");
    }
    return number(name, group);
  }

  // The ranks that differ from this one only in the dimensions that take part; dimension 0 runs fastest.
  private Group along(ChakraNode node, List<Boolean> involved, int rank) {
    if (dimensions.isEmpty()) {
      throw node.fail("does a collective along some dimensions of a network, " + involved
          + "; the setting dimensions must say how large they are");
    }
    List<Integer> members = new ArrayList<>(List.of(rank));
    int stride = 1;
    for (int i = 0; i < dimensions.size(); i++) {
      int size = dimensions.get(i);
      if (i >= involved.size() || involved.get(i)) {
        int step = stride;
        members = members.stream().flatMap(each -> IntStream.range(0, size)
            .mapToObj(at -> each + (at - each / step % size) * step)).toList();
      }
      stride *= size;
    }
    return Group.of(members.stream().mapToInt(Integer::intValue).sorted().toArray());
  }

  private static String shown(String name) {
    return name.length() > 40 ? name.substring(0, 40) + "..." : name;
  }

  /** Adds the groups of a file: an object of names and lists of ranks. */
  void addFile(String file, InputStream in) {
    try (JsonParser json = new JsonFactory().createParser(in)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw fail(file, json, "must be an object, such as {\"1\": [0, 1]}");
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        add(name, members(file, json), file);
      }
    } catch (JsonProcessingException e) {
      throw new TraceException(
          file + ":" + (e.getLocation() == null ? 1 : e.getLocation().getLineNr()) + ": is no JSON: "
              + e.getOriginalMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds PyTorch's process groups from a metadata node: a list of objects with pg_name and ranks in a text. */
  void addProcessGroups(ChakraNode node) {
    String text = node.inputs();
    int from = text.indexOf("[{");
    int to = text.lastIndexOf("}]");
    if (from < 0 || to < from || !text.contains("pg_name")) {
      return;
    }
    try (JsonParser json = new JsonFactory().createParser(text.substring(from, to + 2).replace("\\\"", "\""))) {
      json.nextToken();
      while (json.nextToken() == JsonToken.START_OBJECT) {
        addProcessGroup(node, json);
      }
    } catch (IOException e) {
      throw node.fail("holds process groups that are no JSON");
    }
  }

  private void addProcessGroup(ChakraNode node, JsonParser json) throws IOException {
    String name = "";
    List<Integer> members = List.of();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      json.nextToken();
      if (field.equals("pg_name")) {
        name = json.getText();
      } else if (field.equals("ranks")) {
        members = members(node.where(), json);
      } else {
        json.skipChildren();
      }
    }
    add(name, members, node.where());
  }

  private List<Integer> members(String where, JsonParser json) throws IOException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw fail(where, json, "a group must be a list of ranks");
    }
    List<Integer> members = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (json.currentToken() != JsonToken.VALUE_NUMBER_INT || members.size() == ranks) {
        throw fail(where, json, "a group must be a list of at most " + ranks + " ranks");
      }
      members.add(json.getIntValue());
    }
    return members;
  }

  private static TraceException fail(String where, JsonParser json, String message) {
    return new TraceException(where + ":" + json.currentTokenLocation().getLineNr() + ": " + message);
  }

  private void add(String name, List<Integer> members, String where) {
    Group group;
    try {
      group = members.isEmpty() ? Group.ofFirst(ranks) : Group.of(Ints.toArray(members));
    } catch (IllegalArgumentException e) {
      throw new TraceException(where + ": group '" + shown(name) + "': " + e.getMessage());
    }
    if (Ints.max(group.members()) >= ranks) {
      throw new TraceException(where + ": group '" + shown(name) + "' has the rank " + Ints.max(group.members())
          + "; ranks are 0 to " + (ranks - 1));
    }
    @Nullable
    Group before = named.put(name, group);
    if (before != null && !before.equals(group)) {
      throw new TraceException(where + ": group '" + shown(name) + "' is " + group + ", but elsewhere " + before);
    }
  }
}
