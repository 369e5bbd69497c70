/** One abstract class per SPI: a plug-in's test is a subclass, and inherits a test per numbered rule. */
@NullMarked
package dev.heddle.testkit.contract;

import org.jspecify.annotations.NullMarked;
