"""Broadcasting: which axes may repeat, where each element of the result comes from, and the way back."""
