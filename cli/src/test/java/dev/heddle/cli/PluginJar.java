package dev.heddle.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Builder of a third party's jar: sources compiled outside the build of Heddle, and other files. */
final class PluginJar {
  private final Map<String, String> sources = new LinkedHashMap<>();
  private final Map<String, String> files = new LinkedHashMap<>();
  private final Map<String, StringBuilder> services = new TreeMap<>();

  /** Adds a class, by its simple name, in package {@code com.example}. */
  PluginJar source(String name, String text) {
    sources.put(name,
        "package com.example;\nimport dev.heddle.spi.*;\nimport dev.heddle.tier.*;\nimport dev.heddle.units.*;\n"
            + "import java.util.*;\n" + text);
    return this;
  }

  /** Registers a class of {@code com.example} as a provider. */
  PluginJar provides(Class<?> service, String name) {
    services.computeIfAbsent("META-INF/services/" + service.getName(), key -> new StringBuilder())
        .append("com.example.").append(name).append('\n');
    return this;
  }

  /** Adds a file. */
  PluginJar file(String name, String text) {
    files.put(name, text);
    return this;
  }

  /** Compiles the sources and writes the jar; {@code left} names classes to leave out. */
  Path write(Path jar, String... left) throws IOException {
    Path work = Files.createTempDirectory(jar.getParent(), "plugin");
    List<Path> java = new java.util.ArrayList<>();
    for (Map.Entry<String, String> source : sources.entrySet()) {
      java.add(Files.writeString(work.resolve(source.getKey() + ".java"), source.getValue()));
    }
    Path classes = Files.createDirectory(work.resolve("classes"));
    compile(java, classes);
    services.forEach((name, text) -> files.put(name, text.toString()));
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream packed = new JarOutputStream(out);
        Stream<Path> compiled = Files.walk(classes)) {
      for (Path file : compiled.filter(Files::isRegularFile).sorted().toList()) {
        String name = classes.relativize(file).toString().replace('\\', '/');
        if (List.of(left).stream().noneMatch(skipped -> name.equals("com/example/" + skipped + ".class"))) {
          add(packed, name, Files.readAllBytes(file));
        }
      }
      for (Map.Entry<String, String> file : files.entrySet()) {
        add(packed, file.getKey(), file.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    return jar;
  }

  private static void add(JarOutputStream jar, String name, byte[] bytes) throws IOException {
    jar.putNextEntry(new JarEntry(name));
    jar.write(bytes);
    jar.closeEntry();
  }

  private static void compile(List<Path> java, Path classes) throws IOException {
    if (java.isEmpty()) {
      return;
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager manager =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      boolean good = compiler.getTask(
          messages, manager, null,
          List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "--release", "17",
              "-proc:none"),
          null, manager.getJavaFileObjectsFromPaths(java)).call();
      if (!good) {
        throw new IllegalStateException("the plug-in does not compile:\n" + messages);
      }
    }
  }
}
