package dev.heddle.scenario;

import com.google.common.collect.ImmutableSet;
import dev.heddle.registry.Registry;
import dev.heddle.registry.Registry.PresetResource;
import dev.heddle.registry.RegistryException;
import dev.heddle.scenario.Node.Mapping;
import dev.heddle.scenario.Node.Scalar;
import dev.heddle.scenario.Node.Sequence;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Replaces each {@code preset: id} by the preset's mapping, below the keys that are written beside it. */
final class Presets {
  private static final String KEY = "preset";

  private final Registry registry;
  private final List<Problem> problems = new ArrayList<>();

  private Presets(Registry registry) {
    this.registry = registry;
  }

  /**
   * Resolves all presets of a tree.
   *
   * @throws ScenarioException when a preset is unknown, malformed, or contains itself
   */
  static Node resolve(Node root, Registry registry) {
    Presets presets = new Presets(registry);
    Node resolved = presets.resolve(root, "", List.of());
    if (!presets.problems.isEmpty()) {
      throw new ScenarioException(presets.problems);
    }
    return resolved;
  }

  /**
   * A mapping with the keys of the presets that it names, and with those of nested presets as they are written; one
   * that names no preset, or an unknown one, as it is.
   */
  static Mapping unfold(Mapping mapping, Registry registry) {
    Mapping unfolded = mapping;
    Set<String> seen = new LinkedHashSet<>();
    while (unfolded.entries().get(KEY) instanceof Scalar id && seen.add(id.value())
        && registry.presets().stream().anyMatch(each -> each.id().equals(id.value()))
        && merge(read(registry.preset(id.value())).value(), unfolded.without(KEY)) instanceof Mapping merged) {
      unfolded = merged;
    }
    return unfolded;
  }

  /**
   * Reads a preset.
   *
   * @throws ScenarioException when it lacks {@code description}, {@code source} or {@code value}, or has other keys
   */
  static PresetFile read(PresetResource resource) {
    String file = "preset " + resource.id();
    Node root = YamlReader.parse(file, resource.text());
    if (root instanceof Mapping mapping
        && mapping.entries().keySet().equals(ImmutableSet.of("description", "source", "value"))
        && mapping.entries().get("description") instanceof Scalar description
        && mapping.entries().get("source") instanceof Scalar source
        && mapping.entries().get("value") instanceof Mapping value) {
      return new PresetFile(description.value(), source.value(), value);
    }
    throw new ScenarioException(List.of(new Problem(
        file, 0, "", "a preset has the keys description and source (texts) and value (a mapping), and no others")));
  }

  /** A preset, read. */
  record PresetFile(String description, String source, Mapping value) {}

  private Node resolve(Node node, String path, List<String> within) {
    if (node instanceof Sequence sequence) {
      List<Node> items = new ArrayList<>();
      for (int i = 0; i < sequence.items().size(); i++) {
        items.add(resolve(sequence.items().get(i), path + "[" + i + "]", within));
      }
      return new Sequence(sequence.origin(), items);
    }
    if (!(node instanceof Mapping mapping)) {
      return node;
    }
    Map<String, Node> entries = new LinkedHashMap<>();
    mapping.entries().forEach((key, value) -> {
      if (!key.equals(KEY)) {
        entries.put(key, resolve(value, path.isEmpty() ? key : path + "." + key, within));
      }
    });
    Mapping own = new Mapping(mapping.origin(), entries);
    Node reference = mapping.entries().get(KEY);
    return reference == null ? own : overlay(reference, own, path, within);
  }

  private Node overlay(Node reference, Mapping own, String path, List<String> within) {
    String at = path.isEmpty() ? KEY : path + "." + KEY;
    if (!(reference instanceof Scalar scalar)) {
      problems.add(problem(reference, at, "must be the id of a preset, but is " + reference.text()));
      return own;
    }
    String id = scalar.value();
    if (within.contains(id)) {
      problems.add(problem(reference, at, "the preset '" + id + "' contains itself, by way of " + within));
      return own;
    }
    try {
      List<String> inside = new ArrayList<>(within);
      inside.add(id);
      Node base = resolve(read(registry.preset(id)).value(), path, inside);
      return merge(base, own);
    } catch (RegistryException e) {
      problems.add(problem(reference, at, String.valueOf(e.getMessage())));
    } catch (ScenarioException e) {
      problems.addAll(e.problems());
    }
    return own;
  }

  /** The keys of {@code over} on those of {@code base}; another {@code type} takes nothing over. */
  private static Node merge(Node base, Node over) {
    if (!(base instanceof Mapping below) || !(over instanceof Mapping above)) {
      return over;
    }
    if (below.entries().get("type") instanceof Scalar old && above.entries().get("type") instanceof Scalar type
        && !old.value().equals(type.value())) {
      return over;
    }
    Map<String, Node> merged = new LinkedHashMap<>(below.entries());
    above.entries().forEach(
        (key, value) -> merged.merge(key, value, (lower, upper) -> merge(lower, upper)));
    return new Mapping(above.origin(), merged);
  }

  private static Problem problem(Node node, String path, String message) {
    return new Problem(node.origin().file(), node.origin().line(), path, message);
  }
}
