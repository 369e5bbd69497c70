package dev.heddle.service;

import com.google.common.hash.Hashing;
import com.google.common.io.Resources;
import dev.heddle.report.HtmlReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** The files of the front end, from the class path; the style and the chart library are those of reports. */
final class Assets {
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";

  private Assets() {}

  /** The routes of the files. */
  static List<Route> routes() {
    List<Route> routes = new ArrayList<>();
    routes.add(route("/", Exchange.HTML, bytes("index.html")));
    for (String module : List.of("app.js", "api.js", "charts.js", "forms.js", "pages.js", "dom.js")) {
      routes.add(route("/" + module, SCRIPT, bytes(module)));
    }
    routes.add(route("/service.css", STYLE, bytes("service.css")));
    routes.add(route("/favicon.svg", "image/svg+xml", bytes("favicon.svg")));
    routes.add(route("/report.css", STYLE, read(HtmlReport.class, "report.css")));
    routes.add(route("/echarts.js", SCRIPT, read(HtmlReport.class, "echarts/echarts.common.min.js")));
    return routes;
  }

  private static Route route(String path, String type, byte[] content) {
    String tag = "\"" + Hashing.sha256().hashBytes(content).toString().substring(0, 16) + "\"";
    return Route.of("GET", path, Route.Access.PAGE, (exchange, user) -> {
      exchange.header("Cache-Control", "no-cache");
      exchange.header("ETag", tag);
      if (tag.equals(exchange.request().getHeaders().get("If-None-Match"))) {
        exchange.done(304);
      } else {
        exchange.reply(200, type, content);
      }
    });
  }

  /** The content of a file of this module. */
  static byte[] bytes(String name) {
    return read(Assets.class, name);
  }

  private static byte[] read(Class<?> beside, String name) {
    try {
      return Resources.toByteArray(Resources.getResource(beside, name));
    } catch (IOException e) {
      throw new UncheckedIOException("resource " + name + " of the front end", e);
    }
  }
}
