/** Discovery: providers, validation suites and presets of the class path and of plug-in folders, checked and sorted. */
@NullMarked
package dev.heddle.registry;

import org.jspecify.annotations.NullMarked;
