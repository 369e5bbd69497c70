package dev.heddle.verification;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.TextFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A folder of tables: a user's, or one of the suites' resources. */
interface DataFolder {
  /** The names of the files with an ending, sorted. */
  List<String> names(String ending);

  /**
   * The text of a file.
   *
   * @throws InvalidSettingException when it cannot be read
   */
  String text(String name);

  /** The name of a file of this folder, for messages. */
  String label(String name);

  /** A file of this folder that exists; absent for resources. */
  default Optional<Path> file(String name) {
    return Optional.empty();
  }

  /** A folder of a user. */
  static DataFolder of(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new InvalidSettingException("", folder + " is not a folder");
    }
    return new DataFolder() {
      @Override
      public List<String> names(String ending) {
        try (Stream<Path> files = Files.list(folder)) {
          return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(ending)).sorted()
              .toList();
        } catch (IOException e) {
          throw new InvalidSettingException("", folder + " cannot be listed: " + e.getMessage());
        }
      }

      @Override
      public String text(String name) {
        return TextFile.read(folder.resolve(name), message -> new InvalidSettingException("", message));
      }

      @Override
      public Optional<Path> file(String name) {
        return Optional.of(folder.resolve(name)).filter(Files::isRegularFile);
      }

      @Override
      public String label(String name) {
        return folder.resolve(name).toString();
      }
    };
  }

  /** A folder of resources next to this package; the file {@code index} lists its names. */
  static DataFolder bundled(String name) {
    return new DataFolder() {
      @Override
      public List<String> names(String ending) {
        return text("index").lines().filter(line -> line.endsWith(ending)).sorted().toList();
      }

      @Override
      public String text(String file) {
        try (InputStream in = DataFolder.class.getResourceAsStream(name + "/" + file)) {
          if (in == null) {
            throw new IllegalStateException("resource " + name + "/" + file + " is missing");
          }
          return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }

      @Override
      public String label(String file) {
        return name + "/" + file;
      }
    };
  }
}
