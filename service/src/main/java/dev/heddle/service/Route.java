package dev.heddle.service;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.pathmap.UriTemplatePathSpec;

/**
 * A route of the interface.
 *
 * @param method of HTTP
 * @param path with parameters, such as {@code /api/v1/tasks/{id}}
 * @param access of users
 * @param action that answers
 */
record Route(String method, UriTemplatePathSpec path, Access access, Action action) {
  /** Access to a route. */
  enum Access {
    /** Pages and their parts: no token, and links of other sites may lead there. */
    PAGE,
    /** The interface without a token. */
    OPEN,
    /** The interface for users. */
    USER
  }

  /** Answers a request. */
  @FunctionalInterface
  interface Action {
    /**
     * Replies once.
     *
     * @param exchange to reply to
     * @param user of the request; empty where the route needs none
     */
    void answer(Exchange exchange, String user) throws IOException;
  }

  static Route of(String method, String path, Access access, Action action) {
    return new Route(method, new UriTemplatePathSpec(path), access, action);
  }

  boolean matches(String requested) {
    return path.matches(requested);
  }

  Map<String, String> parameters(String requested) {
    return Optional.ofNullable(path.getPathParams(requested)).orElse(ImmutableMap.of());
  }
}
