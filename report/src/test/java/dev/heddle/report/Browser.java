package dev.heddle.report;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A headless browser of this machine, where there is one. */
final class Browser {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  private final Path binary;

  private Browser(Path binary) {
    this.binary = binary;
  }

  static Optional<Browser> find() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.of(path.split(Pattern.quote(File.pathSeparator)))
        .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .map(Browser::new);
  }

  /** Opens a page and answers its document after its scripts have run. */
  String open(Path folder, String html) throws Exception {
    Path page = Files.writeString(folder.resolve("page.html"), html);
    Path dom = folder.resolve("dom.html");
    List<String> command = new ArrayList<>(List.of(binary.toString()));
    command.addAll(List.of(
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
        "--disable-background-networking", "--disable-component-update", "--window-size=1200,900",
        "--user-data-dir=" + folder.resolve("profile"), "--dump-dom", page.toUri().toString()));
    Process process = new ProcessBuilder(command)
        .redirectOutput(dom.toFile())
        .redirectError(folder.resolve("errors.txt").toFile())
        .start();
    if (!process.waitFor(90, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException("the browser did not end within 90 s");
    }
    return Files.readString(dom, StandardCharsets.UTF_8);
  }
}
