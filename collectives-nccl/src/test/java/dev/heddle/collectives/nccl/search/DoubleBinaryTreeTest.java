package dev.heddle.collectives.nccl.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DoubleBinaryTreeTest {
  private static int children(DoubleBinaryTree trees, int tree, int node) {
    return (int) IntStream.range(0, 2).filter(which -> trees.child(tree, node, which) >= 0).count();
  }

  @Test
  void shouldBeInverseWhenParentAndChildrenAreAsked() {
    for (int nodes = 1; nodes <= 300; nodes++) {
      DoubleBinaryTree trees = new DoubleBinaryTree(nodes);
      for (int tree = 0; tree < 2; tree++) {
        int roots = 0;
        for (int node = 0; node < nodes; node++) {
          int parent = trees.parent(tree, node);
          if (parent < 0) {
            roots++;
          } else {
            assertThat(trees.child(tree, parent, trees.childNumber(tree, node)))
                .as("child of %d in tree %d of %d", parent, tree, nodes).isEqualTo(node);
          }
          for (int which = 0; which < 2; which++) {
            int child = trees.child(tree, node, which);
            if (child >= 0) {
              assertThat(trees.parent(tree, child)).isEqualTo(node);
              assertThat(trees.childNumber(tree, child)).isEqualTo(which);
            }
          }
        }
        assertThat(roots).as("roots of tree %d of %d", tree, nodes).isEqualTo(1);
      }
    }
  }

  @Test
  void shouldBeLogarithmicallyDeepWhenNodesAreMany() {
    for (int nodes = 2; nodes <= 2100; nodes++) {
      DoubleBinaryTree trees = new DoubleBinaryTree(nodes);
      int most = 33 - Integer.numberOfLeadingZeros(nodes - 1);
      for (int tree = 0; tree < 2; tree++) {
        for (int node = 0; node < nodes; node += 1 + nodes / 50) {
          int depth = 0;
          for (int at = node; at >= 0; at = trees.parent(tree, at)) {
            depth++;
          }
          assertThat(depth).as("depth of %d in tree %d of %d", node, tree, nodes).isLessThanOrEqualTo(most);
        }
      }
    }
  }

  // A leaf of one tree is an inner node of the other; where nodes are odd, one node may be inner in both.
  @Test
  void shouldShareWorkWhenBothTreesAreUsed() {
    for (int nodes = 2; nodes <= 300; nodes++) {
      DoubleBinaryTree trees = new DoubleBinaryTree(nodes);
      int both = 0;
      for (int node = 0; node < nodes; node++) {
        boolean first = children(trees, 0, node) > 0;
        boolean second = children(trees, 1, node) > 0;
        both += first && second ? 1 : 0;
        assertThat(first && second && nodes % 2 == 0).as("node %d of %d", node, nodes).isFalse();
      }
      assertThat(both).isLessThanOrEqualTo(1);
    }
  }

  // [Sanders, Speck, Träff 2009], and the comment of the well-known picture: 0 - 8 - 4, 12 - 2, 6, 10 - odd ones
  @Test
  void shouldBeTheKnownTreeWhenNodesAreFourteen() {
    DoubleBinaryTree trees = new DoubleBinaryTree(14);

    assertThat(IntStream.range(0, 14).map(node -> trees.parent(0, node)))
        .containsExactly(-1, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12);
  }

  @Test
  void shouldRefuseWhenThereAreNoNodes() {
    assertThatThrownBy(() -> new DoubleBinaryTree(0)).hasMessageContaining("0");
  }
}
