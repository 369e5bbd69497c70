package dev.heddle.service;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * Lets requests in: those that call this host by one of its names (a page of another site whose name leads here does
 * not), that come from no other site, and that bear a token where there are any.
 */
final class AccessGuard {
  /** The cookie that holds the token of a browser. */
  static final String COOKIE = "heddle-token";

  private static final String USER_WITHOUT_TOKENS = "local";
  private static final String BEARER = "Bearer ";

  private final ImmutableSet<String> hosts;
  private final ImmutableMap<String, String> tokens;

  AccessGuard(ServiceSettings settings) {
    hosts = ImmutableSet.<String>builder().add("localhost", "127.0.0.1", "[::1]").add(settings.address())
        .addAll(settings.names()).build();
    tokens = ImmutableMap.copyOf(settings.tokens());
  }

  /**
   * Checks where a request comes from.
   *
   * @param open whether links of other sites may lead to it, as to a page
   * @throws RequestException when it is refused
   */
  void requireOwnSite(Request request, boolean open) {
    String host = Optional.ofNullable(request.getHeaders().get(HttpHeader.HOST)).orElse("").toLowerCase(Locale.ROOT);
    String name = host.replaceFirst(":\\d+$", "");
    if (!hosts.contains(name)) {
      throw new RequestException(RequestException.FORBIDDEN, "this service is not called '" + name
          + "'; see heddle serve --name");
    }
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    if (origin != null && !authority(origin).equals(host)) {
      throw new RequestException(RequestException.FORBIDDEN, "pages of other sites have no access");
    }
    String site = request.getHeaders().get("Sec-Fetch-Site");
    if (!open && site != null && !List.of("same-origin", "none").contains(site)) {
      throw new RequestException(RequestException.FORBIDDEN, "pages of other sites have no access");
    }
  }

  private static String authority(String origin) {
    try {
      return Optional.ofNullable(URI.create(origin).getAuthority()).orElse("").toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  /**
   * The user of a request.
   *
   * @throws RequestException when it bears no token, or a wrong one, where there are tokens
   */
  String user(Request request) {
    if (tokens.isEmpty()) {
      return USER_WITHOUT_TOKENS;
    }
    String header = request.getHeaders().get(HttpHeader.AUTHORIZATION);
    if (header != null && header.startsWith(BEARER)) {
      return user(header.substring(BEARER.length()));
    }
    return Request.getCookies(request).stream().filter(cookie -> cookie.getName().equals(COOKIE))
        .findFirst().map(cookie -> user(cookie.getValue())).orElseThrow(() -> new RequestException(
            RequestException.UNAUTHORIZED, "a token is needed: Authorization: Bearer TOKEN"));
  }

  /**
   * The user of a token. The time that this takes does not depend on the token.
   *
   * @throws RequestException when there is no such token
   */
  String user(String token) {
    byte[] given = token.getBytes(StandardCharsets.UTF_8);
    String user = null;
    for (Map.Entry<String, String> entry : tokens.entrySet()) {
      if (MessageDigest.isEqual(entry.getKey().getBytes(StandardCharsets.UTF_8), given)) {
        user = entry.getValue();
      }
    }
    if (user == null) {
      throw new RequestException(RequestException.UNAUTHORIZED, "the token is unknown");
    }
    return user;
  }

  /** Whether requests need a token. */
  boolean asksForTokens() {
    return !tokens.isEmpty();
  }
}
