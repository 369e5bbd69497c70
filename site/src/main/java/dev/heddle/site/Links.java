package dev.heddle.site;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** Links of pages, which name files of the checkout, as links between files of the site. */
final class Links {
  private final SourcePages pages;
  private final Set<String> files = new TreeSet<>();

  Links(SourcePages pages) {
    this.pages = pages;
  }

  /**
   * A link as a page of the site has it.
   *
   * @param page that holds it, as a path of the checkout
   * @param link as the page writes it
   * @throws SiteException when it names no file of the checkout
   */
  String rewritten(String page, String link) {
    if (link.startsWith("#") || link.matches("[a-z]+:.*")) {
      return link;
    }
    int hash = link.indexOf('#');
    String anchor = hash < 0 ? "" : link.substring(hash);
    Path target = pages.root().resolve(page).resolveSibling(hash < 0 ? link : link.substring(0, hash)).normalize();
    if (!target.startsWith(pages.root()) || !Files.exists(target)) {
      throw new SiteException(page + ": the link " + link + " leads nowhere");
    }
    String path = pages.root().relativize(target).toString().replace('\\', '/');
    if (!pages.texts().containsKey(path) && !pages.texts().containsKey(path + "/README.md") && !path.isEmpty()) {
      files.add(path);
    }
    return relative(pages.target(page), pages.target(path)) + anchor;
  }

  /** A path of the site as a page of it links to it. */
  static String relative(String from, String to) {
    Path folder = Path.of("/" + from).resolveSibling("");
    return folder.relativize(Path.of("/" + to)).toString().replace('\\', '/');
  }

  /** The files and folders that pages link to and that are no pages themselves. */
  Set<String> files() {
    return files;
  }
}
