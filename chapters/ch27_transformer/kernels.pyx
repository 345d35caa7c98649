"""Rung 3, the twin of byte-pair merges: it touches the places of one pair alone.

A. The symbols of a word are a chain: `before` and `after` say where the neighbours of a place are. A merge writes the
   new symbol at the first place of a pair and takes the second out of the chain. A *link* is a place together with the
   one after it; it is one occurrence of a pair.
B. The links of a pair are a list of their own, `earlier` and `later`, in the order of the text. Merging one link takes
   it and its two neighbours out of their lists and puts two new ones in. The list's head is always taken first, so a
   pair that overlaps itself is merged from the left, as in `reference`.
C. Whatever a merge makes holds the new symbol. So the lists of one step are new ones, and two arrays over the symbols,
   `as_left` and `as_right`, find them: no table of all pairs is needed.
D. The count of a pair falls after its step and never rises. So the heap of `learn_merges` may hold counts that are too
   high: the top is corrected and sinks until it is true.
E. `apply_merges` needs no heap: what a merge makes can only be merged by a later one. It goes through the merges once;
   a hash table says which merge a link waits for.
"""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

import numpy as np

from chapters.ch27_transformer.checks import check_apply, check_learn

cnp.import_array()

__all__ = ["apply_merges", "learn_merges"]

cdef enum:
    BYTES = 256

cdef int64_t MOST = 2147483647


# The chain of symbols, and the lists of links

cdef struct Chain:
    Py_ssize_t size
    int64_t* symbol
    int64_t* before
    int64_t* after
    int64_t* group  # which list the link of a place is in; -1 for none
    int64_t* earlier
    int64_t* later

cdef struct Group:  # one pair, and the list of its links
    int64_t left
    int64_t right
    int64_t count
    int64_t head
    int64_t tail


cdef bint chained(Chain* chain, const int64_t* symbols, const int64_t* offsets, Py_ssize_t words) noexcept nogil:
    """Lay the words out as chains without links; False when memory is short."""
    cdef Py_ssize_t word, place, size = offsets[words]
    chain.size = size
    chain.symbol = <int64_t*> malloc(6 * (size + 1) * sizeof(int64_t))
    if chain.symbol == NULL:
        return False
    chain.before = chain.symbol + size + 1
    chain.after = chain.before + size + 1
    chain.group = chain.after + size + 1
    chain.earlier = chain.group + size + 1
    chain.later = chain.earlier + size + 1
    for word in range(words):
        for place in range(offsets[word], offsets[word + 1]):
            chain.symbol[place] = symbols[place]
            chain.before[place] = place - 1 if place > offsets[word] else -1
            chain.after[place] = place + 1 if place + 1 < offsets[word + 1] else -1
            chain.group[place] = -1
    return True


cdef inline void put_in(Chain* chain, Group* groups, int64_t place, int64_t group) noexcept nogil:
    """Append the link of a place to a list."""
    cdef int64_t last = groups[group].tail
    chain.group[place] = group
    chain.earlier[place] = last
    chain.later[place] = -1
    if last >= 0:
        chain.later[last] = place
    else:
        groups[group].head = place
    groups[group].tail = place


cdef inline int64_t take_out(Chain* chain, Group* groups, int64_t place) noexcept nogil:
    """Take the link of a place out of its list, which is returned; -1 when it is in none."""
    cdef int64_t group = chain.group[place]
    cdef int64_t earlier, later
    if group < 0:
        return -1
    earlier = chain.earlier[place]
    later = chain.later[place]
    if earlier >= 0:
        chain.later[earlier] = later
    else:
        groups[group].head = later
    if later >= 0:
        chain.earlier[later] = earlier
    else:
        groups[group].tail = earlier
    chain.group[place] = -1
    return group


cdef inline void join(Chain* chain, int64_t place, int64_t new) noexcept nogil:
    """Put one symbol in the place of two."""
    cdef int64_t second = chain.after[place]
    chain.symbol[place] = new
    chain.after[place] = chain.after[second]
    if chain.after[place] >= 0:
        chain.before[chain.after[place]] = place
    chain.symbol[second] = -1


# Pairs by their counts

cdef struct Pairs:
    Group* groups
    int64_t number
    int64_t room
    int64_t* heap  # groups, the most frequent at the top
    int64_t* known  # the count by which a group stands where it is in the heap
    int64_t waiting  # how many groups are in the heap


cdef int64_t new_group(Pairs* pairs, int64_t left, int64_t right) noexcept nogil:
    """A list for a pair; -1 when memory is short."""
    cdef void* larger
    if pairs.number == pairs.room:
        larger = realloc(pairs.groups, 2 * pairs.room * sizeof(Group))
        if larger == NULL:
            return -1
        pairs.groups = <Group*> larger
        larger = realloc(pairs.heap, 2 * pairs.room * sizeof(int64_t))
        if larger == NULL:
            return -1
        pairs.heap = <int64_t*> larger
        larger = realloc(pairs.known, 2 * pairs.room * sizeof(int64_t))
        if larger == NULL:
            return -1
        pairs.known = <int64_t*> larger
        pairs.room *= 2
    cdef Group* group = pairs.groups + pairs.number
    group.left = left
    group.right = right
    group.count = 0
    group.head = group.tail = -1
    pairs.number += 1
    return pairs.number - 1


cdef inline bint precedes(Pairs* pairs, int64_t a, int64_t b) noexcept nogil:
    """Whether a group is merged before another: more frequent, then smaller symbols."""
    if pairs.known[a] != pairs.known[b]:
        return pairs.known[a] > pairs.known[b]
    if pairs.groups[a].left != pairs.groups[b].left:
        return pairs.groups[a].left < pairs.groups[b].left
    return pairs.groups[a].right < pairs.groups[b].right


cdef void push(Pairs* pairs, int64_t group) noexcept nogil:
    """Put a group into the heap."""
    cdef int64_t place = pairs.waiting, above
    pairs.known[group] = pairs.groups[group].count
    pairs.waiting += 1
    while place > 0:
        above = (place - 1) // 2
        if not precedes(pairs, group, pairs.heap[above]):
            break
        pairs.heap[place] = pairs.heap[above]
        place = above
    pairs.heap[place] = group


cdef void sink(Pairs* pairs) noexcept nogil:
    """Bring the top of the heap to where it belongs."""
    cdef int64_t group = pairs.heap[0]
    cdef int64_t place = 0, below
    while True:
        below = 2 * place + 1
        if below >= pairs.waiting:
            break
        if below + 1 < pairs.waiting and precedes(pairs, pairs.heap[below + 1], pairs.heap[below]):
            below += 1
        if not precedes(pairs, pairs.heap[below], group):
            break
        pairs.heap[place] = pairs.heap[below]
        place = below
    pairs.heap[place] = group


cdef int64_t pop(Pairs* pairs) noexcept nogil:
    """The most frequent pair, taken out of the heap; -1 when there is none."""
    cdef int64_t group
    while pairs.waiting > 0:
        group = pairs.heap[0]
        if pairs.known[group] == pairs.groups[group].count:
            pairs.waiting -= 1
            pairs.heap[0] = pairs.heap[pairs.waiting]
            sink(pairs)
            return group
        pairs.known[group] = pairs.groups[group].count
        sink(pairs)
    return -1


# Learning

# [learn]
cdef Py_ssize_t learn(
    Chain* chain, Pairs* pairs, int64_t* weight, int64_t* as_left, int64_t* as_right, int64_t least, int64_t* out,
    Py_ssize_t wanted,
) noexcept nogil:
    """Find up to so many merges, and return how many; -1 when memory is short."""
    cdef int64_t place, second, neighbour, group, first, best, new
    cdef Py_ssize_t k
    cdef int64_t* met = as_right + BYTES + wanted  # by two bytes: their group
    memset(met, 255, BYTES * BYTES * sizeof(int64_t))
    memset(as_left, 255, (BYTES + wanted) * sizeof(int64_t))
    memset(as_right, 255, (BYTES + wanted) * sizeof(int64_t))
    for place in range(chain.size):
        second = chain.after[place]
        if second < 0:
            continue
        group = met[chain.symbol[place] * BYTES + chain.symbol[second]]
        if group < 0:
            group = new_group(pairs, chain.symbol[place], chain.symbol[second])
            if group < 0:
                return -1
            met[chain.symbol[place] * BYTES + chain.symbol[second]] = group
        put_in(chain, pairs.groups, place, group)
        pairs.groups[group].count += weight[place]
    for group in range(pairs.number):
        push(pairs, group)
    # [learn-loop]
    for k in range(wanted):
        best = pop(pairs)
        if best < 0 or pairs.groups[best].count < least:
            return k
        out[2 * k] = pairs.groups[best].left
        out[2 * k + 1] = pairs.groups[best].right
        new = BYTES + k
        first = pairs.number  # groups from here on are of this step
        while pairs.groups[best].head >= 0:
            place = pairs.groups[best].head
            second = chain.after[place]
            take_out(chain, pairs.groups, place)
            group = take_out(chain, pairs.groups, second)
            if group >= 0:
                pairs.groups[group].count -= weight[place]
            neighbour = chain.before[place]
            if neighbour >= 0:
                pairs.groups[take_out(chain, pairs.groups, neighbour)].count -= weight[place]
            join(chain, place, new)
            if neighbour >= 0:
                group = as_right[chain.symbol[neighbour]]
                if chain.symbol[neighbour] == new:
                    group = as_left[new]
                if group < first:
                    group = new_group(pairs, chain.symbol[neighbour], new)
                    if group < 0:
                        return -1
                    if chain.symbol[neighbour] == new:
                        as_left[new] = group
                    else:
                        as_right[chain.symbol[neighbour]] = group
                put_in(chain, pairs.groups, neighbour, group)
                pairs.groups[group].count += weight[place]
            neighbour = chain.after[place]
            if neighbour >= 0:
                group = as_left[chain.symbol[neighbour]]
                if group < first:
                    group = new_group(pairs, new, chain.symbol[neighbour])
                    if group < 0:
                        return -1
                    as_left[chain.symbol[neighbour]] = group
                put_in(chain, pairs.groups, place, group)
                pairs.groups[group].count += weight[place]
        for group in range(first, pairs.number):
            push(pairs, group)
    # [/learn-loop]
    return wanted
# [/learn]


cdef bint are_words(cnp.ndarray symbols, cnp.ndarray offsets) noexcept:
    """Whether symbols are bytes, and offsets cut them into words."""
    cdef const int64_t* bytes_ = <int64_t*> cnp.PyArray_DATA(symbols)
    cdef const int64_t* cuts = <int64_t*> cnp.PyArray_DATA(offsets)
    cdef Py_ssize_t k
    if offsets.size == 0 or cuts[0] != 0 or cuts[offsets.size - 1] != symbols.size:
        return False
    for k in range(offsets.size - 1):
        if cuts[k] > cuts[k + 1]:
            return False
    for k in range(symbols.size):
        if bytes_[k] < 0 or bytes_[k] >= BYTES:
            return False
    return True


cdef bint are_counts(cnp.ndarray counts) noexcept:
    """Whether these are numbers of words."""
    cdef const int64_t* numbers = <int64_t*> cnp.PyArray_DATA(counts)
    cdef Py_ssize_t k
    for k in range(counts.size):
        if numbers[k] < 0 or numbers[k] > MOST:
            return False
    return True


cdef bint are_merges(cnp.ndarray merges) noexcept:
    """Whether each merge is one of symbols that are there before it."""
    cdef const int64_t* pairs = <int64_t*> cnp.PyArray_DATA(merges)
    cdef Py_ssize_t k
    for k in range(merges.size):
        if pairs[k] < 0 or pairs[k] >= BYTES + k // 2:
            return False
    return True


cdef bint is_vector(object x, int axes=1):
    """Whether an operand is an array of int64 with so many axes."""
    return (
        isinstance(x, cnp.ndarray)
        and (<cnp.ndarray> x).ndim == axes
        and cnp.PyArray_TYPE(x) == cnp.NPY_INT64
        and cnp.PyArray_ISNOTSWAPPED(x)
    )


def learn_merges(symbols, offsets, counts, least, out):
    """Find the pairs to merge, the most frequent one first."""
    cdef Chain chain
    cdef Pairs pairs
    cdef Py_ssize_t found = -1, wanted, words, word, place
    cdef int64_t minimum
    if not (
        is_vector(symbols) and is_vector(offsets) and is_vector(counts) and is_vector(out, 2)
        and cnp.PyArray_ISWRITEABLE(out) and out.shape[1] == 2 and least >= 1 and counts.size == offsets.size - 1
    ):
        refuse("learn_merges", check_learn, symbols=symbols, offsets=offsets, counts=counts, least=least, out=out)
    cdef cnp.ndarray text = np.require(symbols, None, "CA")
    cdef cnp.ndarray cuts = np.require(offsets, None, "CA")
    cdef cnp.ndarray numbers = np.require(counts, None, "CA")
    if not (are_words(text, cuts) and are_counts(numbers)):
        refuse("learn_merges", check_learn, symbols=symbols, offsets=offsets, counts=counts, least=least, out=out)
    words = numbers.size
    wanted = len(out)
    minimum = min(least, 2**62)
    cdef cnp.ndarray learned = np.empty((wanted, 2), np.int64)
    cdef const int64_t* bytes_ = <int64_t*> cnp.PyArray_DATA(text)
    cdef const int64_t* bounds = <int64_t*> cnp.PyArray_DATA(cuts)
    cdef const int64_t* occurs = <int64_t*> cnp.PyArray_DATA(numbers)
    cdef int64_t* results = <int64_t*> cnp.PyArray_DATA(learned)
    cdef int64_t* weight = <int64_t*> malloc((text.size + 1) * sizeof(int64_t))
    cdef int64_t* by_symbol = <int64_t*> malloc((2 * (BYTES + wanted) + BYTES * BYTES) * sizeof(int64_t))
    pairs.number = pairs.waiting = 0
    pairs.room = 1024
    pairs.groups = <Group*> malloc(pairs.room * sizeof(Group))
    pairs.heap = <int64_t*> malloc(pairs.room * sizeof(int64_t))
    pairs.known = <int64_t*> malloc(pairs.room * sizeof(int64_t))
    chain.symbol = NULL
    with nogil:
        if (
            chained(&chain, bytes_, bounds, words) and weight != NULL and by_symbol != NULL and pairs.groups != NULL
            and pairs.heap != NULL and pairs.known != NULL
        ):
            for word in range(words):
                for place in range(bounds[word], bounds[word + 1]):
                    weight[place] = occurs[word]
            found = learn(
                &chain, &pairs, weight, by_symbol, by_symbol + BYTES + wanted, minimum, results, wanted
            )
    free(chain.symbol)
    free(weight)
    free(by_symbol)
    free(pairs.groups)
    free(pairs.heap)
    free(pairs.known)
    if found < 0:
        raise MemoryError(f"learn_merges: no memory for the pairs of {text.size} symbols")
    out[:found] = learned[:found]
    return found


# Applying

cdef struct Table:  # which merge a pair has: open addressing
    uint64_t mask
    int64_t* merge
    const int64_t* pairs


cdef inline int64_t merge_of(Table* table, int64_t left, int64_t right) noexcept nogil:
    """The number of the merge of a pair; where it is not there, -1 less its free slot."""
    cdef uint64_t slot = (<uint64_t> left * 0x9E3779B97F4A7C15u + <uint64_t> right) * 0xD6E8FEB86659FD93u
    cdef int64_t merge
    slot = (slot ^ (slot >> 32)) & table.mask
    while True:
        merge = table.merge[slot]
        if merge < 0:
            return -1 - <int64_t> slot
        if table.pairs[2 * merge] == left and table.pairs[2 * merge + 1] == right:
            return merge
        slot = (slot + 1) & table.mask


cdef inline void wait_for(Chain* chain, Group* groups, Table* table, int64_t place) noexcept nogil:
    """Put the link of a place into the list of its merge, if there is one."""
    cdef int64_t merge = merge_of(table, chain.symbol[place], chain.symbol[chain.after[place]])
    if merge >= 0:
        put_in(chain, groups, place, merge)


# [apply]
cdef void apply(Chain* chain, Group* groups, Table* table, Py_ssize_t merges) noexcept nogil:
    """Merge all pairs of the chain, in the order of the merges."""
    cdef int64_t place, slot
    cdef Py_ssize_t k
    for k in range(merges):
        groups[k].head = groups[k].tail = -1
        slot = merge_of(table, table.pairs[2 * k], table.pairs[2 * k + 1])
        if slot < 0:  # a pair that is named twice is merged the first time
            table.merge[-1 - slot] = k
    for place in range(chain.size):
        if chain.after[place] >= 0:
            wait_for(chain, groups, table, place)
    # [apply-loop]
    for k in range(merges):
        while groups[k].head >= 0:
            place = groups[k].head
            take_out(chain, groups, place)
            take_out(chain, groups, chain.after[place])
            if chain.before[place] >= 0:
                take_out(chain, groups, chain.before[place])
            join(chain, place, BYTES + k)
            if chain.before[place] >= 0:
                wait_for(chain, groups, table, chain.before[place])
            if chain.after[place] >= 0:
                wait_for(chain, groups, table, place)
    # [/apply-loop]
# [/apply]


def apply_merges(symbols, offsets, merges, out, lengths):
    """Merge the pairs of words in the order in which they were learned."""
    cdef Chain chain
    cdef Table table
    cdef Py_ssize_t number, words, word, place, length, total = 0
    cdef uint64_t slots = 4
    cdef bint done = False
    if not (
        is_vector(symbols) and is_vector(offsets) and is_vector(merges, 2) and is_vector(out) and is_vector(lengths)
        and cnp.PyArray_ISWRITEABLE(out) and cnp.PyArray_ISWRITEABLE(lengths) and merges.shape[1] == 2
        and out.size == symbols.size and lengths.size == offsets.size - 1
    ):
        refuse(
            "apply_merges", check_apply, symbols=symbols, offsets=offsets, merges=merges, out=out, lengths=lengths
        )
    cdef cnp.ndarray text = np.require(symbols, None, "CA")
    cdef cnp.ndarray cuts = np.require(offsets, None, "CA")
    cdef cnp.ndarray rules = np.require(merges, None, "CA")
    if not (are_words(text, cuts) and are_merges(rules)):
        refuse(
            "apply_merges", check_apply, symbols=symbols, offsets=offsets, merges=merges, out=out, lengths=lengths
        )
    number = len(rules)
    words = cuts.size - 1
    while slots < 2 * <uint64_t> number + 1:
        slots *= 2
    cdef cnp.ndarray merged = np.empty(text.size, np.int64)
    cdef cnp.ndarray sizes = np.empty(words, np.int64)
    cdef const int64_t* bytes_ = <int64_t*> cnp.PyArray_DATA(text)
    cdef const int64_t* bounds = <int64_t*> cnp.PyArray_DATA(cuts)
    cdef int64_t* results = <int64_t*> cnp.PyArray_DATA(merged)
    cdef int64_t* long_ = <int64_t*> cnp.PyArray_DATA(sizes)
    cdef Group* groups = <Group*> malloc((number + 1) * sizeof(Group))
    table.mask = slots - 1
    table.pairs = <int64_t*> cnp.PyArray_DATA(rules)
    table.merge = <int64_t*> malloc(slots * sizeof(int64_t))
    chain.symbol = NULL
    with nogil:
        if chained(&chain, bytes_, bounds, words) and groups != NULL and table.merge != NULL:
            memset(table.merge, 255, slots * sizeof(int64_t))
            apply(&chain, groups, &table, number)
            for word in range(words):
                length = 0
                for place in range(bounds[word], bounds[word + 1]):
                    if chain.symbol[place] >= 0:
                        results[total] = chain.symbol[place]
                        total += 1
                        length += 1
                long_[word] = length
            done = True
    free(chain.symbol)
    free(groups)
    free(table.merge)
    if not done:
        raise MemoryError(f"apply_merges: no memory for {text.size} symbols")
    out[:total] = merged[:total]
    lengths[...] = sizes


def refuse(op, check, **operands):
    """Raise what `checks` says of operands that no kernel takes."""
    for name, operand in operands.items():
        if name != "least" and not isinstance(operand, cnp.ndarray):
            raise TypeError(f"{op}: {name} is a {type(operand).__name__}; this rung takes NumPy arrays")
    check(op, *operands.values())
    raise AssertionError(f"{op}: refused without a reason")
