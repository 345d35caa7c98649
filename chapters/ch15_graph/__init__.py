"""Chapter 15: the computation graph, as a list of nodes that the forward pass writes down."""
