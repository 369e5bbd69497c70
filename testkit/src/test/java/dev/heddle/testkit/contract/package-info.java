@NullMarked
package dev.heddle.testkit.contract;

import org.jspecify.annotations.NullMarked;
