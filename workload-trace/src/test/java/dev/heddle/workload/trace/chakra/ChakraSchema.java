package dev.heddle.workload.trace.chakra;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors;
import com.google.protobuf.DynamicMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Chakra's schema for Google's own protobuf library, which thus is the second reader and writer of traces. */
public final class ChakraSchema {
  private static final Descriptors.FileDescriptor FILE = file();

  private ChakraSchema() {}

  private static Descriptors.FileDescriptor file() {
    FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder().setName("et.proto").setSyntax("proto3");
    file.addMessageType(DescriptorProto.newBuilder().setName("BoolList")
        .addField(field("values", 1, Type.TYPE_BOOL, true)));
    DescriptorProto.Builder attribute = DescriptorProto.newBuilder().setName("AttributeProto")
        .addField(field("name", 1, Type.TYPE_STRING, false));
    attribute.addOneofDeclBuilder().setName("value");
    Object[][] values = {
        {"double_val", 3, Type.TYPE_DOUBLE}, {"float_val", 5, Type.TYPE_FLOAT}, {"int32_val", 7, Type.TYPE_INT32},
        {"int64_val", 9, Type.TYPE_INT64}, {"uint32_val", 11, Type.TYPE_UINT32}, {"uint64_val", 13, Type.TYPE_UINT64},
        {"sint32_val", 15, Type.TYPE_SINT32}, {"sint64_val", 17, Type.TYPE_SINT64},
        {"fixed32_val", 19, Type.TYPE_FIXED32}, {"fixed64_val", 21, Type.TYPE_FIXED64},
        {"sfixed32_val", 23, Type.TYPE_SFIXED32}, {"sfixed64_val", 25, Type.TYPE_SFIXED64},
        {"bool_val", 27, Type.TYPE_BOOL}, {"string_val", 29, Type.TYPE_STRING}, {"bytes_val", 31, Type.TYPE_BYTES}};
    for (Object[] value : values) {
      attribute.addField(field((String) value[0], (int) value[1], (Type) value[2], false).setOneofIndex(0));
    }
    attribute.addField(
        field("bool_list", 28, Type.TYPE_MESSAGE, false).setTypeName("BoolList").setOneofIndex(0));
    file.addMessageType(attribute);
    file.addMessageType(DescriptorProto.newBuilder().setName("GlobalMetadata")
        .addField(field("version", 1, Type.TYPE_STRING, false))
        .addField(field("attr", 2, Type.TYPE_MESSAGE, true).setTypeName("AttributeProto")));
    file.addMessageType(DescriptorProto.newBuilder().setName("IOInfo")
        .addField(field("values", 1, Type.TYPE_STRING, false)));
    file.addMessageType(DescriptorProto.newBuilder().setName("Node")
        .addField(field("id", 1, Type.TYPE_UINT64, false))
        .addField(field("name", 2, Type.TYPE_STRING, false))
        .addField(field("type", 3, Type.TYPE_INT32, false))
        .addField(field("ctrl_deps", 4, Type.TYPE_UINT64, true))
        .addField(field("data_deps", 5, Type.TYPE_UINT64, true))
        .addField(field("start_time_micros", 6, Type.TYPE_UINT64, false))
        .addField(field("duration_micros", 7, Type.TYPE_UINT64, false))
        .addField(field("inputs", 8, Type.TYPE_MESSAGE, false).setTypeName("IOInfo"))
        .addField(field("attr", 10, Type.TYPE_MESSAGE, true).setTypeName("AttributeProto")));
    try {
      return Descriptors.FileDescriptor.buildFrom(file.build(), new Descriptors.FileDescriptor[0]);
    } catch (Descriptors.DescriptorValidationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static FieldDescriptorProto.Builder field(String name, int number, Type type, boolean repeated) {
    return FieldDescriptorProto.newBuilder().setName(name).setNumber(number).setType(type)
        .setLabel(repeated ? Label.LABEL_REPEATED : Label.LABEL_OPTIONAL);
  }

  static Descriptors.Descriptor type(String name) {
    return FILE.findMessageTypeByName(name);
  }

  static Object get(DynamicMessage message, String field) {
    return message.getField(message.getDescriptorForType().findFieldByName(field));
  }

  /** The nodes of a trace. */
  public static List<DynamicMessage> nodes(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      DynamicMessage.newBuilder(type("GlobalMetadata")).mergeDelimitedFrom(in);
      List<DynamicMessage> nodes = new ArrayList<>();
      DynamicMessage.Builder next = DynamicMessage.newBuilder(type("Node"));
      while (next.mergeDelimitedFrom(in)) {
        nodes.add(next.build());
        next = DynamicMessage.newBuilder(type("Node"));
      }
      return nodes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The value of a node's attribute as a number; -1 without it. */
  public static long number(DynamicMessage node, String attribute) {
    for (Object each : (List<?>) get(node, "attr")) {
      DynamicMessage found = (DynamicMessage) each;
      if (get(found, "name").equals(attribute)) {
        Object value = found.getField(found.getOneofFieldDescriptor(type("AttributeProto").getOneofs().get(0)));
        return value instanceof Boolean truth ? (truth ? 1 : 0) : ((Number) value).longValue();
      }
    }
    return -1;
  }

  /** The nodes that a node waits for by data. */
  @SuppressWarnings("unchecked")
  public static List<Long> dependencies(DynamicMessage node) {
    return (List<Long>) get(node, "data_deps");
  }

  /** A trace that is being written. */
  static final class Trace {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Trace() {
      write(DynamicMessage.newBuilder(type("GlobalMetadata"))
          .setField(type("GlobalMetadata").findFieldByName("version"), "0.0.4").build());
    }

    Trace add(NodeText node) {
      write(node.message.build());
      return this;
    }

    private void write(DynamicMessage message) {
      try {
        message.writeDelimitedTo(out);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    byte[] bytes() {
      return out.toByteArray();
    }

    Path to(Path file) {
      try {
        return Files.write(file, bytes());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A node that is being written. */
  static final class NodeText {
    private final DynamicMessage.Builder message = DynamicMessage.newBuilder(type("Node"));

    static NodeText of(long id, int type) {
      return new NodeText().set("id", id).set("type", type).set("name", "n" + id);
    }

    NodeText set(String field, Object value) {
      message.setField(type("Node").findFieldByName(field), value);
      return this;
    }

    NodeText after(long... ids) {
      for (long id : ids) {
        message.addRepeatedField(type("Node").findFieldByName("data_deps"), id);
      }
      return this;
    }

    NodeText micros(long value) {
      return set("duration_micros", value);
    }

    NodeText inputs(String text) {
      return set("inputs", DynamicMessage.newBuilder(type("IOInfo"))
          .setField(type("IOInfo").findFieldByName("values"), text).build());
    }

    NodeText attribute(String name, String kind, Object value) {
      Descriptors.Descriptor type = type("AttributeProto");
      message.addRepeatedField(type("Node").findFieldByName("attr"), DynamicMessage.newBuilder(type)
          .setField(type.findFieldByName("name"), name).setField(type.findFieldByName(kind), value).build());
      return this;
    }

    NodeText dimensions(boolean... involved) {
      DynamicMessage.Builder list = DynamicMessage.newBuilder(type("BoolList"));
      for (boolean each : involved) {
        list.addRepeatedField(type("BoolList").findFieldByName("values"), each);
      }
      return attribute("involved_dim", "bool_list", list.build());
    }

    NodeText collective(long what, long bytes) {
      return attribute("comm_type", "int64_val", what).attribute("comm_size", "int64_val", bytes);
    }
  }
}
