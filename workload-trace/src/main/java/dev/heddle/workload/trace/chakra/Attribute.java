package dev.heddle.workload.trace.chakra;

import dev.heddle.workload.trace.graph.TraceException;
import java.util.ArrayList;
import java.util.List;

/**
 * An attribute of a node: a number, a text, or a list of truths. Widths and signs of numbers are converted freely, as
 * writers of traces do not agree on them.
 *
 * @param name of the attribute
 * @param form kind of the value
 * @param number the value where it is one, as 64 bits
 * @param text the value where it is one
 * @param truths the value where it is a list of truths
 */
record Attribute(String name, Form form, long number, String text, List<Boolean> truths) {
  /** Numbers of AttributeProto's fields (et_def.proto of Chakra 0.0.4). */
  private static final int NAME = 1;

  private static final int DOUBLE = 3;
  private static final int FLOAT = 5;
  private static final int INT32 = 7;
  private static final int INT64 = 9;
  private static final int UINT32 = 11;
  private static final int UINT64 = 13;
  private static final int SINT32 = 15;
  private static final int SINT64 = 17;
  private static final int FIXED32 = 19;
  private static final int FIXED64 = 21;
  private static final int SFIXED32 = 23;
  private static final int SFIXED64 = 25;
  private static final int BOOL = 27;
  private static final int BOOL_LIST = 28;
  private static final int STRING = 29;

  enum Form {
    NUMBER, UNSIGNED, TEXT, TRUTHS, OTHER
  }

  static Attribute read(WireMessage message) {
    String name = "";
    Form form = Form.OTHER;
    long number = 0;
    String text = "";
    List<Boolean> truths = List.of();
    while (message.next()) {
      switch (message.field()) {
        case NAME -> name = message.text();
        case DOUBLE -> {
          form = Form.NUMBER;
          number = whole(Double.longBitsToDouble(message.bits()), message);
        }
        case FLOAT -> {
          form = Form.NUMBER;
          number = whole(Float.intBitsToFloat((int) message.bits()), message);
        }
        case INT32, INT64, SFIXED32, SFIXED64, BOOL -> {
          form = Form.NUMBER;
          number = message.number();
        }
        case UINT32, UINT64, FIXED64 -> {
          form = Form.UNSIGNED;
          number = message.number();
        }
        case FIXED32 -> {
          form = Form.UNSIGNED;
          number = message.bits();
        }
        case SINT32, SINT64 -> {
          form = Form.NUMBER;
          long coded = message.number();
          number = (coded >>> 1) ^ -(coded & 1);
        }
        case STRING -> {
          form = Form.TEXT;
          text = message.text();
        }
        case BOOL_LIST -> {
          form = Form.TRUTHS;
          truths = truths(message.message());
        }
        default -> message.skip();
      }
    }
    return new Attribute(name, form, number, text, truths);
  }

  /** A number, still without a name. */
  static Attribute of(long number) {
    return new Attribute("", Form.NUMBER, number, "", List.of());
  }

  /** A text, still without a name; one of digits stands for a number where a number is wanted. */
  static Attribute of(String text) {
    return new Attribute("", Form.TEXT, 0, text, List.of());
  }

  /** A list of truths, still without a name. */
  static Attribute of(List<Boolean> truths) {
    return new Attribute("", Form.TRUTHS, 0, "", List.copyOf(truths));
  }

  /** The same with a name. Protobuf's JSON writes 64-bit numbers as texts; one of digits is a number, but a group's. */
  Attribute named(String value) {
    boolean digits = form == Form.TEXT && !value.equals(ChakraNames.PG_NAME) && text.matches("-?[0-9]{1,18}");
    return new Attribute(
        value, digits ? Form.NUMBER : form, digits ? Long.parseLong(text) : number, text, truths);
  }

  private static long whole(double value, WireMessage message) {
    if (!(Math.abs(value) < 0x1p63)) {
      throw message.fail("an attribute is " + value + ", which is beyond 64 bits");
    }
    return (long) value;
  }

  private static List<Boolean> truths(WireMessage list) {
    List<Boolean> truths = new ArrayList<>();
    while (list.next()) {
      if (list.field() == 1) {
        list.numbers(value -> truths.add(value != 0));
      } else {
        list.skip();
      }
    }
    return truths;
  }

  /** The value, where it is a number within bounds. */
  long within(long least, long most, String where) {
    boolean huge = form == Form.UNSIGNED && number < 0;
    if (form != Form.NUMBER && form != Form.UNSIGNED || huge || number < least || number > most) {
      throw new TraceException(where + ": " + name + " is " + this + ", but must be " + least + " to " + most);
    }
    return number;
  }

  @Override
  public String toString() {
    return switch (form) {
      case NUMBER -> Long.toString(number);
      case UNSIGNED -> Long.toUnsignedString(number);
      case TEXT -> "'" + (text.length() > 40 ? text.substring(0, 40) + "..." : text) + "'";
      case TRUTHS -> truths.toString();
      case OTHER -> "of another kind";
    };
  }
}
