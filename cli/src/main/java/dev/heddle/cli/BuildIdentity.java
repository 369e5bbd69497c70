package dev.heddle.cli;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The identity of the program that computes results: a hash over the contents of all jars and class folders of the
 * class path and the plug-in path. Of a jar count the names, sizes and checksums of its entries, as its bytes hold the
 * time of the build; manifests and Maven's descriptors do not count.
 */
final class BuildIdentity {
  private static final Supplier<String> CLASS_PATH = Suppliers.memoize(() -> {
    List<Path> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path", "").split(File.pathSeparator, -1)) {
      if (!entry.isEmpty()) {
        entries.add(Path.of(entry));
      }
    }
    return hash(entries);
  });

  private BuildIdentity() {}

  /**
   * The identity as 16 hexadecimal digits.
   *
   * @param plugins folders and jars of plug-ins
   * @throws OutputException when one of them cannot be read
   */
  static String of(List<Path> plugins) {
    String both = CLASS_PATH.get() + hash(plugins);
    return Hashing.sha256().hashString(both, StandardCharsets.UTF_8).toString().substring(0, 16);
  }

  /** A hash that does not depend on the order of the entries. */
  private static String hash(List<Path> entries) {
    List<String> hashes = new ArrayList<>();
    for (Path entry : entries) {
      if (Files.isDirectory(entry)) {
        files(entry).forEach(file -> hashes.add(file(file, entry.relativize(file).toString())));
      } else if (Files.isRegularFile(entry)) {
        hashes.add(file(entry, ""));
      }
    }
    Collections.sort(hashes);
    return Hashing.sha256().hashString(String.join(" ", hashes), StandardCharsets.UTF_8).toString();
  }

  private static List<Path> files(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).toList();
    } catch (IOException e) {
      throw unreadable(folder, e);
    }
  }

  private static String file(Path file, String name) {
    try {
      if (file.toString().endsWith(".jar")) {
        return jar(file);
      }
      return Hashing.sha256().newHasher().putString(name + "\n", StandardCharsets.UTF_8)
          .putBytes(Files.readAllBytes(file)).hash().toString();
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static String jar(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    try (ZipFile zip = new ZipFile(file.toFile())) {
      zip.stream().filter(entry -> !entry.isDirectory() && !buildDependent(entry.getName()))
          .map(BuildIdentity::line).forEach(lines::add);
    }
    Collections.sort(lines);
    Hasher hasher = Hashing.sha256().newHasher();
    lines.forEach(line -> hasher.putString(line, StandardCharsets.UTF_8));
    return hasher.hash().toString();
  }

  private static String line(ZipEntry entry) {
    return entry.getName() + " " + entry.getSize() + " " + entry.getCrc() + "\n";
  }

  private static boolean buildDependent(String name) {
    return name.equals("META-INF/MANIFEST.MF") || name.startsWith("META-INF/maven/");
  }

  private static OutputException unreadable(Path path, IOException e) {
    return new OutputException(path + ": cannot be read: " + e.getMessage());
  }
}
