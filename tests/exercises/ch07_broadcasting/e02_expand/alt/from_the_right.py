"""Two stacks, popped from the right, as the sizes meet."""


def expanded(shape, strides, target):
    if len(target) < len(shape):
        raise ValueError(f"{target} has fewer axes than {shape}")
    own, steps = list(shape), list(strides)
    made = []
    for wanted in reversed(target):
        if not own:
            if wanted < 0:
                raise ValueError("there is no size to keep")
            made.append((wanted, 0))
            continue
        size, step = own.pop(), steps.pop()
        if wanted != -1 and wanted != size:
            if size != 1 or wanted < 0:
                raise ValueError(f"{size} cannot become {wanted}")
            size, step = wanted, 0
        made.append((size, step))
    made.reverse()
    return tuple(size for size, _ in made), tuple(step for _, step in made)
