"""What layers apply to every element: activations and losses, each with its gradient in one pass."""
