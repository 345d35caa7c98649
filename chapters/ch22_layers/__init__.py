"""What layers apply between matrix products: activations, losses, normalization, each with its gradient in one pass."""
