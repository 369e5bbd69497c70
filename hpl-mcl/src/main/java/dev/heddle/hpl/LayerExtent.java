package dev.heddle.hpl;

/**
 * A communication layer, and its extent in the matrix.
 *
 * @param layer that moves the words
 * @param parts the grid of parts that the matrix has at the layer's outer boundary: that of processes for the innermost
 * layer, that of nodes for the layer within a node, {@link ProcessGrid#SINGLE} for the outermost
 */
public record LayerExtent(CommunicationLayer layer, ProcessGrid parts) {}
