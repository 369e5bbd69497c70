package dev.heddle.verification;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The measures of a Java file.
 *
 * @param file path of the file
 * @param lines its lines, those within text blocks emptied, as they are data
 * @param members methods and constructors, in order
 * @param comments texts of its comments without their marks, in order
 */
record JavaSource(Path file, List<String> lines, List<Member> members, List<String> comments) {
  // The pattern of a literal or a comment, the earlier of both, so that comment marks within literals are skipped and
  // the reverse.
  private static final Pattern TOKEN = Pattern.compile(
      "\"\"\".*?(?<!\\\\)\"\"\"|\"[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+)*+\"|'(?:[^'\\\\\\n]|\\\\[^\\n]{1,5}?)'"
          + "|/\\*(?<block>.*?)\\*/|//(?<line>[^\\n]*)",
      Pattern.DOTALL);
  private static final Pattern TEXT_BLOCK = Pattern.compile("\"\"\"\\n.*?(?<!\\\\)\"\"\"", Pattern.DOTALL);
  private static final Pattern MARGIN = Pattern.compile("(?m)^\\s*\\*+ ?|^\\*");

  /**
   * A method or a constructor.
   *
   * @param name of the method; {@code <init>} for a constructor
   * @param line at which it begins, from 1
   * @param length in lines, without its comment
   * @param parameters number of declared parameters
   */
  record Member(String name, long line, long length, int parameters) {}

  /** Reads files. */
  static List<JavaSource> read(List<Path> files) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      JavacTask task = (JavacTask) compiler.getTask(null, manager, null, List.of("-proc:none"), null,
          manager.getJavaFileObjectsFromPaths(files));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      List<JavaSource> sources = new ArrayList<>();
      for (CompilationUnitTree unit : task.parse()) {
        String text = unit.getSourceFile().getCharContent(true).toString();
        sources.add(new JavaSource(Path.of(unit.getSourceFile().toUri()), lines(text),
            members(unit, positions), comments(text)));
      }
      return sources;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Member> members(CompilationUnitTree unit, SourcePositions positions) {
    List<Member> members = new ArrayList<>();
    new TreeScanner<Void, Boolean>() {
      @Override
      public Void visitClass(ClassTree type, Boolean ignored) {
        return super.visitClass(type, type.getKind() == Tree.Kind.RECORD);
      }

      @Override
      public Void visitMethod(MethodTree method, Boolean inRecord) {
        boolean constructor = method.getName().contentEquals("<init>");
        long first = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, method));
        long last = unit.getLineMap().getLineNumber(positions.getEndPosition(unit, method));
        // The components of a record are the values of settings and results, not parameters.
        int parameters = constructor && inRecord ? 0 : method.getParameters().size();
        members.add(new Member(method.getName().toString(), first, last - first + 1, parameters));
        return super.visitMethod(method, inRecord);
      }
    }.scan(unit, false);
    return members;
  }

  private static List<String> lines(String text) {
    return TEXT_BLOCK.matcher(text).replaceAll(block -> block.group().replaceAll("[^\n]", "")).lines().toList();
  }

  private static List<String> comments(String text) {
    List<String> comments = new ArrayList<>();
    Matcher matcher = TOKEN.matcher(text);
    while (matcher.find()) {
      String block = matcher.group("block");
      String line = matcher.group("line");
      if (block != null) {
        comments.add(MARGIN.matcher(block).replaceAll("").strip());
      } else if (line != null) {
        comments.add(line.strip());
      }
    }
    return comments;
  }
}
