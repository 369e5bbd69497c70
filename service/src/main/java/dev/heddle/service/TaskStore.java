package dev.heddle.service;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The tasks in a database, through one connection. Each call is one transaction, which is on the disk when it returns;
 * the statements are standard SQL, as H2 and PostgreSQL take them.
 */
final class TaskStore implements AutoCloseable {
  private static final String COLUMNS =
      "id, name, owner, priority, kind, question, points, build, state, attempts, created,"
          + " started, ended, message, process";

  private final Connection connection;
  private final AtomicLong changes = new AtomicLong();

  private TaskStore(Connection connection) {
    this.connection = connection;
  }

  /**
   * Opens a database, and makes its table where it has none.
   *
   * @param url of JDBC
   */
  static TaskStore open(String url) {
    try {
      TaskStore store = new TaskStore(DriverManager.getConnection(url));
      try (Statement statement = store.connection.createStatement()) {
        statement.execute("create table if not exists task (id varchar(16) primary key, name varchar(200) not null,"
            + " owner varchar(100) not null, priority int not null, kind varchar(20) not null,"
            + " question varchar(10000000) not null,"
            + " points int not null, build varchar(64) not null, state varchar(16) not null, attempts int not null,"
            + " created bigint not null, started bigint not null, ended bigint not null,"
            + " message varchar(100000) not null, process varchar(200) not null)");
        // A database of an earlier state of this version knows processes of its own machine alone.
        statement.execute("alter table task add column if not exists process varchar(200) default '' not null");
        statement.execute("alter table task drop column if exists pid");
        statement.execute("alter table task drop column if exists pid_started");
        statement.execute("create index if not exists task_queue on task (state, priority, created)");
        statement.execute("create index if not exists task_created on task (created)");
      }
      return store;
    } catch (SQLException e) {
      throw new StoreException("the database " + url + " cannot be used: " + e.getMessage(), e);
    }
  }

  /** A database that fails. */
  static final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StoreException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Adds a task. */
  synchronized void add(Task task) {
    Task.Progress progress = task.progress();
    update("insert into task (" + COLUMNS + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')", task.id(),
        task.name(), task.user(), task.priority(), task.kind().name(), task.asked(), task.points(), task.build(),
        progress.state().name(), progress.attempts(), progress.createdMs(), progress.startedMs(), progress.endedMs(),
        progress.message());
  }

  /** The number of changes so far: equal counts before two readings mean equal answers. */
  long changes() {
    return changes.get();
  }

  /** The task of an id. */
  synchronized Optional<Task> find(String id) {
    return select("where id = ?", id).stream().findFirst();
  }

  /**
   * The newest tasks.
   *
   * @param state of them; empty for all
   * @param user who asked; empty for all
   * @param most number of tasks
   * @param skip tasks that are left out, of the newest
   */
  synchronized List<Task> newest(Optional<TaskState> state, String user, int most, int skip) {
    return select("where (state = ? or ? = '') and (owner = ? or ? = '') order by created desc, id"
        + " offset ? rows fetch first ? rows only", state.map(Enum::name).orElse(""),
        state.map(Enum::name).orElse(""), user, user, skip, most);
  }

  /** The number of tasks by state, of one user or of all where the user is empty. */
  synchronized Map<TaskState, Integer> counts(String user) {
    Map<TaskState, Integer> counts = new LinkedHashMap<>();
    for (TaskState state : TaskState.values()) {
      counts.put(state, 0);
    }
    try (PreparedStatement statement = prepare(
        "select state, count(*) from task where owner = ? or ? = '' group by state", user, user);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        counts.put(TaskState.valueOf(rows.getString(1)), rows.getInt(2));
      }
    } catch (SQLException e) {
      throw failed(e);
    }
    return counts;
  }

  /**
   * Takes the next task from the queue: the highest priority, then the oldest, of users with fewer running tasks than
   * allowed.
   *
   * @param runningOfUser the most tasks of one user that run at once
   * @param nowMs the begin of the attempt
   */
  synchronized Optional<Task> claim(int runningOfUser, long nowMs) {
    Optional<Task> next = select("where state = 'QUEUED' and owner not in (select owner from task where state ="
        + " 'RUNNING' group by owner having count(*) >= ?) order by priority desc, created, id"
        + " fetch first 1 rows only", runningOfUser).stream().findFirst();
    next.ifPresent(task -> update("update task set state = 'RUNNING', attempts = attempts + 1, started = ?, ended = 0,"
        + " message = '' where id = ?", nowMs, task.id()));
    return next;
  }

  /** Notes the process of a running task. */
  synchronized void mark(String id, TaskRunner.Mark mark) {
    update("update task set process = ? where id = ?", mark.toString(), id);
  }

  /** Ends an attempt. */
  synchronized void end(String id, TaskState state, String message, long nowMs) {
    update("update task set state = ?, message = ?, ended = ?, process = '' where id = ?", state.name(),
        message.substring(0, Math.min(message.length(), 60_000)), nowMs, id);
  }

  /** Puts a task back into the queue; its time of creation, and with it its place, stays. */
  synchronized void queue(String id, int priority) {
    update("update task set state = 'QUEUED', message = '', ended = 0, process = '', priority = ? where id = ?",
        priority,
        id);
  }

  /** Deletes a task. */
  synchronized void delete(String id) {
    update("delete from task where id = ?", id);
  }

  /** The tasks in a state, oldest first. */
  synchronized List<Task> all(TaskState state) {
    return select("where state = ? order by created, id", state.name());
  }

  private List<Task> select(String rest, Object... values) {
    List<Task> tasks = new ArrayList<>();
    try (PreparedStatement statement = prepare("select " + COLUMNS + " from task " + rest, values);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        tasks.add(task(rows));
      }
      return tasks;
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private static Task task(ResultSet row) throws SQLException {
    Task.Progress progress = new Task.Progress(
        TaskState.valueOf(row.getString("state")), row.getInt("attempts"), row.getLong("created"),
        row.getLong("started"), row.getLong("ended"), row.getString("message"),
        TaskRunner.Mark.parse(row.getString("process")));
    return new Task(
        row.getString("id"), row.getString("name"), row.getString("owner"), row.getInt("priority"),
        TaskKind.valueOf(row.getString("kind")), row.getString("question"), row.getInt("points"),
        row.getString("build"), progress);
  }

  private void update(String sql, Object... values) {
    try (PreparedStatement statement = prepare(sql, values)) {
      statement.executeUpdate();
    } catch (SQLException e) {
      throw failed(e);
    } finally {
      changes.incrementAndGet();
    }
  }

  private PreparedStatement prepare(String sql, Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  private static StoreException failed(SQLException e) {
    return new StoreException("the database failed: " + e.getMessage(), e);
  }

  @Override
  public synchronized void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw failed(e);
    }
  }
}
