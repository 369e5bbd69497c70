package dev.heddle.service;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** The database of tests: H2, or one that {@code -Dheddle.service.database=URL} names, as for PostgreSQL. */
final class Databases {
  private static final Optional<String> NAMED = Optional.ofNullable(System.getProperty("heddle.service.database"));

  private Databases() {}

  /** The database that was named, emptied; none for the embedded one of a service. */
  static Optional<String> named() {
    NAMED.ifPresent(Databases::empty);
    return NAMED;
  }

  private static void empty(String url) {
    try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
      statement.execute("drop table if exists task");
    } catch (SQLException e) {
      throw new AssertionError("the database " + url + " cannot be emptied", e);
    }
  }
}
