package dev.heddle.bench.track;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A folder of entries: {@code MACHINE-CLASS/COMMIT.json}. */
final class History {
  private static final String SUFFIX = ".json";
  private static final Pattern COMMIT = Pattern.compile("[0-9A-Za-z][0-9A-Za-z._-]*");
  private static final ObjectMapper MAPPER = JsonMapper.builder()
      .enable(SerializationFeature.INDENT_OUTPUT)
      .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
      .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
      .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

  private final Path folder;

  History(Path folder) {
    this.folder = folder;
  }

  /** The file of a commit. */
  Path file(Machine machine, String commit) {
    if (!COMMIT.matcher(commit).matches()) {
      throw new TrackException(
          "commit '" + commit + "': must be letters, digits, '.', '_' and '-', as it names a file");
    }
    return folder.resolve(machine.folder()).resolve(commit + SUFFIX);
  }

  /** Writes an entry. */
  Path store(Entry entry) {
    Path file = file(entry.machine(), entry.commit());
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, write(entry));
      return file;
    } catch (IOException e) {
      throw new TrackException(file + ": cannot be written: " + e.getMessage());
    }
  }

  /**
   * The entries of a class of machines, in the order of their commits' dates.
   *
   * @throws TrackException when there is no such class, or a file is damaged
   */
  List<Entry> entries(String machine) {
    if (!classes().contains(machine)) {
      throw new TrackException(folder + ": has no measurements of machines of class " + machine + "; it has "
          + (classes().isEmpty() ? "none at all" : String.join(", ", classes())));
    }
    List<Entry> entries = new ArrayList<>();
    for (Path file : files(folder.resolve(machine))) {
      if (file.toString().endsWith(SUFFIX)) {
        entries.add(read(file));
      }
    }
    entries.sort(Comparator.comparing(Entry::date).thenComparing(Entry::commit));
    return entries;
  }

  /** The classes of machines that it has, sorted. */
  List<String> classes() {
    return !Files.isDirectory(folder) ? List.of()
        : files(folder).stream().filter(Files::isDirectory).map(each -> String.valueOf(each.getFileName())).toList();
  }

  /** The text of an entry. */
  static String write(Entry entry) {
    try {
      return MAPPER.writeValueAsString(entry) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an entry that has no JSON", e);
    }
  }

  private static Entry read(Path file) {
    try {
      Entry entry = MAPPER.readValue(new String(Files.readAllBytes(file), StandardCharsets.UTF_8), Entry.class);
      if (entry == null || entry.format() != Entry.FORMAT) {
        throw new TrackException(file + ": format: must be " + Entry.FORMAT + ", as this tracker reads no other");
      }
      return entry;
    } catch (JsonProcessingException e) {
      String at = e.getLocation() == null ? "" : " at line " + e.getLocation().getLineNr();
      throw new TrackException(file + ": is no entry of a history" + at + ": "
          + String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("").replaceFirst(" \\(.*", ""));
    } catch (IOException e) {
      throw new TrackException(file + ": cannot be read: " + e.getMessage());
    }
  }

  private static List<Path> files(Path of) {
    try (Stream<Path> files = Files.list(of)) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new TrackException(of + ": cannot be listed: " + e.getMessage());
    }
  }
}
