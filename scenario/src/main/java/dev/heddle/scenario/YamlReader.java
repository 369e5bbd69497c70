package dev.heddle.scenario;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import dev.heddle.scenario.Node.Empty;
import dev.heddle.scenario.Node.Mapping;
import dev.heddle.scenario.Node.Origin;
import dev.heddle.scenario.Node.Scalar;
import dev.heddle.scenario.Node.Sequence;
import dev.heddle.text.Unreadable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads YAML into a tree. Refuses constructs that a scenario never needs and an attack does: aliases, anchors, tags,
 * several documents, duplicate keys, deep nesting, and files above 1 MiB.
 */
final class YamlReader {
  /** The largest file in bytes. */
  static final int MAX_BYTES = 1 << 20;

  /** The deepest nesting of mappings and lists. */
  static final int MAX_DEPTH = 40;

  private static final YAMLFactory FACTORY = new YAMLFactory();
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{[a-z]+}");

  private final String file;
  private final YAMLParser parser;

  private YamlReader(String file, YAMLParser parser) {
    this.file = file;
    this.parser = parser;
  }

  /** Reads a file. */
  static Node read(Path path) {
    String file = path.toString();
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw problem(file, 0, "the file has more bytes than may be; at most " + MAX_BYTES + " are read");
      }
      return parse(file, StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (IOException e) {
      throw problem(file, 0, "cannot be read: " + Unreadable.reason(path, e));
    }
  }

  /** Parses a text; {@code file} names it in messages. */
  static Node parse(String file, String text) {
    return parse(file, text, "the file is empty");
  }

  /** Parses the value of an option; {@code option} names it in messages. */
  static Node value(String option, String text) {
    return parse(option, text, "the value is missing; give one, or leave the option out");
  }

  private static Node parse(String file, String text, String empty) {
    if (text.length() > MAX_BYTES) {
      throw problem(file, 0, "the text has " + text.length() + " characters; at most " + MAX_BYTES + " are read");
    }
    try (YAMLParser parser = FACTORY.createParser(text)) {
      YamlReader reader = new YamlReader(file, parser);
      if (parser.nextToken() == null) {
        throw problem(file, 0, empty);
      }
      Node root = reader.node(0);
      if (parser.nextToken() != null) {
        throw reader.refuse("a second document begins here; a file holds one");
      }
      return root;
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : Math.max(0, e.getLocation().getLineNr());
      throw problem(file, line, syntax(e) + quotes(text, line));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Node node(int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw refuse("mappings and lists are nested deeper than " + MAX_DEPTH);
    }
    if (parser.isCurrentAlias() || parser.getObjectId() != null) {
      throw refuse("anchors and aliases (& and *) are not allowed; write the value out, or make it a preset");
    }
    if (parser.getTypeId() != null) {
      throw refuse("tags (!" + parser.getTypeId() + ") are not allowed");
    }
    Origin origin = origin();
    JsonToken token = parser.currentToken();
    if (token == JsonToken.START_OBJECT) {
      return mapping(origin, depth);
    }
    if (token == JsonToken.START_ARRAY) {
      List<Node> items = new ArrayList<>();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        items.add(node(depth + 1));
      }
      return new Sequence(origin, items);
    }
    return token == JsonToken.VALUE_NULL ? new Empty(origin) : new Scalar(origin, parser.getText());
  }

  private Node mapping(Origin origin, int depth) throws IOException {
    Map<String, Node> entries = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      if (parser.isCurrentAlias() || parser.getObjectId() != null) {
        throw refuse("anchors and aliases (& and *) are not allowed; write the value out, or make it a preset");
      }
      if (parser.currentToken() != JsonToken.FIELD_NAME) {
        throw refuse("a key must be a word, not a list or a mapping");
      }
      String key = parser.currentName();
      int line = parser.currentTokenLocation().getLineNr();
      if (key.equals("<<")) {
        throw problem(file, line, "merge keys (<<) are not allowed; use preset");
      }
      parser.nextToken();
      if (entries.put(key, node(depth + 1)) != null) {
        throw problem(file, line, "the key '" + key + "' is given twice");
      }
    }
    return new Mapping(origin, entries);
  }

  private Origin origin() {
    return new Origin(file, parser.currentTokenLocation().getLineNr());
  }

  private ScenarioException refuse(String message) {
    return problem(file, parser.currentTokenLocation().getLineNr(), message);
  }

  private static String syntax(JsonProcessingException e) {
    String message = e.getOriginalMessage() == null ? "" : e.getOriginalMessage();
    String first = message.lines().map(String::strip).filter(line -> !line.isEmpty()).findFirst().orElse("");
    String reason = message.lines().map(String::strip).filter(line -> line.startsWith("found ")
        || line.startsWith("expected ") || line.startsWith("could not ")).findFirst().orElse("");
    if (first.contains("org.yaml.snakeyaml.events")) {
      return "is no valid YAML: a key must be a word, not a list, a mapping or an alias";
    }
    return "is no valid YAML, or cut off: " + first + (reason.isEmpty() ? "" : ": " + reason);
  }

  // YAML takes the braces of a placeholder for those of a mapping.
  private static String quotes(String text, int line) {
    Matcher placeholder = PLACEHOLDER.matcher(text.lines().skip(Math.max(0, line - 1)).findFirst().orElse(""));
    return placeholder.find() ? "; a value with { or } needs quotes, as in 'trace." + placeholder.group() + ".et'" : "";
  }

  private static ScenarioException problem(String file, int line, String message) {
    return new ScenarioException(List.of(new Problem(file, line, "", message)));
  }
}
