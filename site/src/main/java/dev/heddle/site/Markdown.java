package dev.heddle.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** Markdown, with tables and anchors of headings as GitHub has them, as HTML. */
final class Markdown {
  private static final List<Extension> EXTENSIONS =
      List.of(TablesExtension.create(), HeadingAnchorExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();
  // Pages are the project's own, and hold comments for the tests of their samples.
  private static final HtmlRenderer RENDERER = HtmlRenderer.builder().extensions(EXTENSIONS)
      .attributeProviderFactory(context -> Markdown::attributes).build();

  private Markdown() {}

  /**
   * A page.
   *
   * @param title text of its first heading
   * @param html of its body
   * @param sections its headings with their text
   */
  record Page(String title, String html, List<Section> sections) {}

  /**
   * A part of a page for the search.
   *
   * @param anchor of its heading
   * @param level of its heading, 1 to 6
   * @param title its heading
   * @param text below the heading, to the next one
   */
  record Section(String anchor, int level, String title, String text) {}

  /**
   * Renders a page.
   *
   * @param path of the page in the checkout
   * @param text in Markdown
   * @param links to rewrite its links by
   */
  static Page page(String path, String text, Links links) {
    Node document = PARSER.parse(text);
    document.accept(new AbstractVisitor() {
      @Override
      public void visit(Link link) {
        link.setDestination(links.rewritten(path, link.getDestination()));
        visitChildren(link);
      }

      @Override
      public void visit(Image image) {
        image.setDestination(links.rewritten(path, image.getDestination()));
        visitChildren(image);
      }
    });
    List<Section> sections = sections(document);
    return new Page(
        sections.isEmpty() ? path : sections.get(0).title(), RENDERER.render(document), List.copyOf(sections));
  }

  private static List<Section> sections(Node document) {
    IdGenerator ids = IdGenerator.builder().build();
    List<Section> sections = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
      if (node instanceof Heading heading) {
        close(sections, text);
        String title = words(heading);
        sections.add(new Section(ids.generateId(title.strip()), heading.getLevel(), title.strip(), ""));
      } else {
        text.append(words(node)).append(' ');
      }
    }
    close(sections, text);
    return sections;
  }

  private static void close(List<Section> sections, StringBuilder text) {
    if (!sections.isEmpty()) {
      int last = sections.size() - 1;
      Section open = sections.get(last);
      sections.set(last, new Section(open.anchor(), open.level(), open.title(), text.toString().strip()));
    }
    text.setLength(0);
  }

  private static String words(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(new AbstractVisitor() {
      @Override
      public void visit(Text part) {
        text.append(part.getLiteral()).append(gap(part));
      }

      @Override
      public void visit(Code code) {
        text.append(code.getLiteral()).append(gap(code));
      }

      @Override
      public void visit(SoftLineBreak end) {
        text.append(' ');
      }

      @Override
      public void visit(FencedCodeBlock block) {
        text.append(block.getLiteral()).append(' ');
      }
    });
    return text.toString();
  }

  /** A blank where the next text stands in another block, such as a cell of a table. */
  private static String gap(Node node) {
    return node.getNext() == null ? " " : "";
  }

  private static void attributes(Node node, String tag, Map<String, String> attributes) {
    if (node instanceof TableBlock && tag.equals("table")) {
      // Wide tables scroll by themselves, by keyboard too.
      attributes.put("tabindex", "0");
    }
  }
}
